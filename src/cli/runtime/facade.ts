/** The facade of `dev` and `serve`: its services, startup and shutdown. */
import { type Client } from '@temporalio/client';
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
} from '../../facade';
import { type KeyRing } from '../../keyring';
import { type LogStore } from '../../logs';
import { type StepCache } from '../../payloads';
import { type SealedValues } from '../../sealed';
import { AuthCache, type Database, Tokens } from '../../store';
import { extensions } from '../extensions';
import { packageVersion } from '../output/version';

export interface FacadeOptions {
  readonly client: Client;
  readonly database: Database;
  /** For stored credentials. */
  readonly keys?: KeyRing;
  /** How long `auth_cache` keeps a secret after its last use; default one hour. */
  readonly authCacheTtlMs?: number;
  /** Of the Temporal UI, whose pages may have payloads decrypted. */
  readonly uiOrigins?: readonly string[];
  /** For secret inputs. */
  readonly sealed?: SealedValues;
  /** Output of tasks. */
  readonly logs?: LogStore;
  /** Cached results of tasks. */
  readonly cache?: StepCache;
  /** Available to workers outside the catalog. */
  readonly playbooks?: FacadeServices['playbooks'];
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Whether callers need a token. */
  readonly tokens: boolean;
  readonly edge: Omit<EdgeOptions, 'rateLimit'>;
  /** Requests per minute and caller; no limit by default. */
  readonly requestsPerMinute?: number;
  readonly metrics: Metrics;
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void;
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
  const { client, database, metrics, report, edge, requestsPerMinute } = options;
  const stopping = new AbortController();
  const guarded = byToken(new Tokens(database), report);
  const authenticate = options.tokens ? guarded.authenticate : openFor(edge.cors ?? []);
  const services = {
    client,
    database,
    keys: options.keys,
    ...(options.authCacheTtlMs !== undefined && { authCacheTtlMs: options.authCacheTtlMs }),
    ...(options.uiOrigins && { uiOrigins: options.uiOrigins }),
    sealed: options.sealed,
    ...(options.logs && { logs: options.logs }),
    ...(options.cache && { cache: options.cache }),
    playbooks: options.playbooks,
    kinds: extensions().kinds,
    authenticate,
    ...(options.tokens && { checkToken: guarded.check }),
    version: packageVersion(),
    report,
    metrics,
    stopping: stopping.signal,
  };
  const app = createFacade(services, {
    ...edge,
    loopbackPages: !options.tokens,
    ...(requestsPerMinute !== undefined && {
      rateLimit: { perMinute: requestsPerMinute, callerOf: guarded.callerOf },
    }),
  });
  const listening = await listen(app, options.port, options.host);
  const stopSweeping = options.keys && new AuthCache(database, options.keys).sweepOnAndOn(report);
  return {
    url: listening.url,
    async close(limitMs) {
      stopping.abort();
      stopSweeping?.();
      return await listening.close(limitMs);
    },
  };
}
