/**
 * `serve`: the REST API as a production process. It is stateless: any number may run, and any may be stopped. It also
 * carries out bulk operations, which need its client, but no author's code.
 */
import { startBulkWorker } from '../../server/bulk';
import { isLoopback, Metrics, rerunsInThreads } from '../../server/facade';
import { hasCode, messageOf, Closing } from '../../language/errors';
import { HopelessExecutions } from '../../offline/replay';
import { ensureSearchAttributes, knownUi } from '../../temporal/client';
import { type KeyRing } from '../../storage/keyring';
import { sealedValues } from '../../storage/sealed';
import {
  defaultCredentials,
  installRuntime,
  nativeConnection,
  type WorkerLog,
  workerLog,
} from '../../temporal/worker';
import { EXIT, UsageError } from '../errors';
import { authCacheTtl } from './auth-cache-ttl';
import { keysOfStore } from './credentials';
import { startFacade, uiOrigins } from './facade';
import { waitingFor } from '../output/waiting';
import { dataFolder } from './data-folder';
import { noteProcess } from './last-process';
import { reach, servedTarget } from './reach';
import { untilInterrupted } from './signals';
import { targetNames } from '../../language/plan';
import { notificationSettings } from './notifications';
import { openNamedStorage } from './storage';
import { openStore, type OpenCatalogStore } from './store';
import { storedCredentials } from './stored-credentials';
import { tracingOf } from './tracing';
import { besidesItself, ingressSecretOf, pathOf } from './trigger-credentials';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly database?: string;
  readonly storage?: string;
  /** False: no tokens required; on loopback only. */
  readonly auth: boolean;
  readonly cors: readonly string[];
  /** Paths of playbooks that may ask for more than their turn, separated by commas; default NOETL_PRIORITIZED. */
  readonly prioritized?: string;
  /** File with targets of notifications; default NOETL_NOTIFICATIONS. */
  readonly notifications?: string;
  /** Requests per minute and caller; 0 for no limit. */
  readonly requestsPerMinute: number;
  readonly trustProxy?: number | string;
  /** How long `auth_cache` keeps a secret after its last use, as written in the option. */
  readonly authCacheTtl?: string;
  /** Milliseconds for pending requests to finish after SIGTERM. */
  readonly graceMs: number;
}

const CONNECT_MS = 30_000;

/**
 * Serves until SIGTERM or Ctrl-C; then accepts no connections, completes pending requests, and ends streams so that
 * clients reconnect.
 *
 * @returns the exit code: 1 if requests had to be aborted
 * @throws UsageError if no tokens are required and other machines could connect, and without a storage
 */
export async function serve(options: ServeOptions): Promise<number> {
  if (!options.auth && !isLoopback(options.host)) {
    throw new UsageError(
      `--no-auth with --host ${options.host}: every machine that can reach this address could start playbooks and read ` +
        'their results; create tokens (noetl-temporal tokens create NAME), or listen on 127.0.0.1',
    );
  }
  const closing = new Closing();
  return await closing.after(() => serveUntilStopped(options, closing));
}

async function serveUntilStopped(options: ServeOptions, closing: Closing): Promise<number> {
  const authCacheTtlMs = authCacheTtl(options.authCacheTtl);
  const log = workerLog('info');
  for (const died of noteProcess('serve', dataFolder(undefined))) log.warn({}, died);
  const interrupted = untilInterrupted(EXIT.failed);
  const storage = await openNamedStorage(options.storage);
  closing.add(() => storage.close());
  await waitingFor(`the storage ${storage.shown}`, storage.check());
  const tracing = tracingOf('serve', (trouble) => log.warn({}, trouble));
  if (tracing) closing.add(() => tracing.shutdown());
  const target = servedTarget();
  const { client, connection } = await reach(target, CONNECT_MS, storage.dataConverter, tracing?.client);
  closing.add(() => connection.close());
  await ensureSearchAttributes(connection, target.namespace);
  installRuntime(log);
  const native = await nativeConnection(target, connection);
  closing.add(() => native.close());
  const reruns = rerunsInThreads(client);
  closing.add(() => reruns.close());
  const { dataConverter } = storage;
  const { prepare } = reruns;
  const bulk = await startBulkWorker({ connection: native, client, dataConverter, prepare });
  closing.add(() => bulk.stop());
  bulk.done.catch((error: unknown) =>
    log.error({ error: messageOf(error) }, 'bulk operations are not carried out by this process any more'),
  );
  const hopeless = new HopelessExecutions({ client, log });
  closing.add(hopeless.start());
  const store = await openStore({ database: options.database });
  closing.add(() => store.close());
  const env = { ...process.env, DATABASE_URL: store.database.url };
  const stored = storedCredentials(dataFolder(undefined), pathOf(client), env);
  closing.add(() => stored.close());
  const facade = await startFacade({
    client,
    ingressSecret: ingressSecretOf(defaultCredentials(besidesItself(options), [stored.provider])),
    database: store.database,
    keys: keysOrWarning(store, log),
    authCacheTtlMs,
    ...uiOrigins(await knownUi(target.address)),
    sealed: sealedValues(() => keysOfStore(store), storage.results(target.namespace)),
    logs: storage.logs(target.namespace),
    cache: storage.cache(target.namespace),
    results: storage.results(target.namespace),
    ...(tracing && { within: tracing.within }),
    listedTargets: targetNames(notificationSettings(options.notifications).targets),
    ...prioritizedBy(options),
    host: options.host,
    port: options.port,
    tokens: options.auth,
    edge: {
      log,
      cors: options.cors,
      trustProxy: options.trustProxy,
      ...(tracing && { traced: tracing.requests }),
    },
    requestsPerMinute: options.requestsPerMinute || undefined,
    metrics: new Metrics(),
    report: (error) =>
      log.error({ error: messageOf(error), stack: (error as Error)?.stack }, 'an error of ours'),
  });
  closing.add(() => facade.close(0));
  log.info(
    {
      url: facade.url,
      console: `${facade.url}/`,
      temporal: target.address,
      namespace: target.namespace,
      database: store.shown,
      storage: storage.shown,
      tokens: options.auth ? 'needed' : 'not asked for',
    },
    'serving',
  );
  const signal = await interrupted;
  log.info(
    { signal, grace_ms: options.graceMs },
    'stopping: new requests are rejected, requests in flight are completed',
  );
  const answered = await facade.close(options.graceMs);
  log[answered ? 'info' : 'warn']({}, answered ? 'stopped' : 'stopped; requests in flight were cut off');
  return answered ? EXIT.success : EXIT.failed;
}

export function prioritizedBy({
  auth,
  prioritized = process.env['NOETL_PRIORITIZED'],
}: Pick<ServeOptions, 'auth' | 'prioritized'>): {
  prioritized?: readonly string[];
} {
  if (prioritized === undefined) return auth ? { prioritized: [] } : {};
  return {
    prioritized: prioritized
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  };
}

/** Without keys everything works except stored credentials, which return 503. */
export function keysOrWarning(store: OpenCatalogStore, log: WorkerLog): KeyRing | undefined {
  try {
    return keysOfStore(store);
  } catch (error) {
    if (!hasCode(error, 'KEY_MISSING')) throw error;
    log.warn({ code: error.code }, `${error.message}: no credentials can be stored`);
    return undefined;
  }
}
