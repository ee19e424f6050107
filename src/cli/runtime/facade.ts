/** The facade of `dev` and `serve`: its services, startup and shutdown. */
import {
  byToken,
  createFacade,
  type EdgeOptions,
  type FacadeServices,
  isLoopback,
  type Listening,
  listen,
  type Metrics,
  openFor,
} from '../../server/facade';
import { AuthCache, Tokens } from '../../server/store';
import { extensions } from '../extensions';
import { packageVersion } from '../output/version';

type OwnServices =
  | 'authenticate'
  | 'byToken'
  | 'checkToken'
  | 'kinds'
  | 'sources'
  | 'version'
  | 'metrics'
  | 'stopping';

export interface FacadeOptions extends Omit<FacadeServices, OwnServices> {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Whether callers need a token. */
  readonly tokens: boolean;
  readonly edge: Omit<EdgeOptions, 'rateLimit'>;
  /** Requests per minute and caller; no limit by default. */
  readonly requestsPerMinute?: number;
  readonly metrics: Metrics;
}

/**
 * Origins of the Temporal UI, whose pages may have payloads decrypted. On this machine the user may type either
 * host name, which are two origins to a browser.
 */
export function uiOrigins(ui: string | undefined): { readonly uiOrigins?: readonly string[] } {
  if (ui === undefined || !URL.canParse(ui)) return {};
  const { protocol, hostname, port, origin } = new URL(ui);
  if (!isLoopback(hostname)) return { uiOrigins: [origin] };
  const names = new Set([hostname, '127.0.0.1', 'localhost']);
  return { uiOrigins: [...names].map((name) => new URL(`${protocol}//${name}:${port}`).origin) };
}

/** @throws EnvironmentError `PORT_IN_USE`, `HOST_UNKNOWN` */
export async function startFacade(options: FacadeOptions): Promise<Listening> {
  const { host, port, tokens, edge, requestsPerMinute, ...given } = options;
  const { database, keys, report } = given;
  const stopping = new AbortController();
  const guarded = byToken(new Tokens(database), report);
  const authenticate = tokens ? guarded.authenticate : openFor(edge.cors ?? []);
  const services = {
    ...given,
    kinds: extensions().kinds,
    sources: extensions().sourceFields,
    authenticate,
    byToken: guarded.authenticate,
    ...(tokens && { checkToken: guarded.check }),
    version: packageVersion(),
    stopping: stopping.signal,
  };
  const app = createFacade(services, {
    ...edge,
    loopbackPages: !tokens,
    ...(requestsPerMinute !== undefined && {
      rateLimit: { perMinute: requestsPerMinute, callerOf: guarded.callerOf },
    }),
  });
  const listening = await listen(app, port, host);
  const stopSweeping = keys && new AuthCache(database, keys).sweepOnAndOn(report);
  return {
    url: listening.url,
    async close(limitMs) {
      stopping.abort();
      stopSweeping?.();
      return await listening.close(limitMs);
    },
  };
}
