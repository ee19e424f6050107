/** Triggers of `triggers` and `dev`: takes messages of subscriptions that are active, and starts what they say. */
import { setMaxListeners } from 'node:events';
import { type Client } from '@temporalio/client';
import { type CredentialResolver } from '../../../activities/framework/credentials';
import { Closing } from '../../language/errors';
import { Library, messageStarter, Metrics, Threads, TriggerLibrary } from '../../server/facade';
import { ProjectionLeases } from '../../server/projection';
import { Catalog, type Database } from '../../server/store';
import { builtInSources, DeadLetters, TriggerCounters, Triggers } from '../../server/triggers';
import { type KeyRing } from '../../storage/keyring';
import { type SealedValues, sealedValues } from '../../storage/sealed';
import { isTransient, temporalAnswers, whoIsAway, workflowId } from '../../temporal/client';
import { defaultCredentials, installRuntime, nativeConnection, workerLog } from '../../temporal/worker';
import { EXIT } from '../errors';
import { extensions } from '../extensions';
import { waitingFor } from '../output/waiting';
import { keysOfStore } from './credentials';
import { dataFolder } from './data-folder';
import { type HealthFlags, serveHealth } from './health';
import { reach, servedTarget } from './reach';
import { keysOrWarning, prioritizedBy } from './serve';
import { untilInterrupted } from './signals';
import { openNamedStorage } from './storage';
import { openStore } from './store';
import { storedCredentials } from './stored-credentials';
import { tracingOf } from './tracing';
import { ofTrigger, pathOf } from './trigger-credentials';

export interface TriggerParts {
  readonly client: Client;
  readonly database: Database;
  readonly library: Library;
  readonly threads: Threads;
  readonly credentials: CredentialResolver;
  readonly metrics: Metrics;
  readonly keys?: KeyRing;
  readonly sealed?: SealedValues;
  readonly within?: <T>(headers: object, act: () => Promise<T>) => Promise<T>;
  readonly report: (line: string) => void;
}

/** @returns stops it; what is in hand is finished */
export function triggersHere(parts: TriggerParts): () => Promise<void> {
  const { client, database, library, threads, metrics, credentials, report } = parts;
  const subscriptions = new TriggerLibrary(database, library, threads);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const leases = new ProjectionLeases(database.url);
  const sources = new Map([...builtInSources, ...extensions().sources].map((one) => [one.name, one]));
  const starter = { ...parts, report: (error: unknown) => report(String(error)) };
  const triggers = new Triggers({
    store: subscriptions.store,
    dead: new DeadLetters(database, parts.keys),
    counters: new TriggerCounters(subscriptions.store, metrics.meters),
    start: messageStarter(starter, library),
    planOf: (path) => subscriptions.planOf(path),
    sources,
    credential: (name, path) => credentials.resolve(name, { execution_id: ofTrigger(path) }),
    surroundings: {
      databaseUrl: database.url,
      // One that Temporal has forgotten has none; one that it cannot be asked for is asked for again.
      resultOf: async (id) =>
        await client.workflow
          .getHandle(workflowId(id))
          .result()
          .catch((error: unknown) => {
            if (isTransient(error)) throw error;
          }),
    },
    leases,
    signal: stop.signal,
    report,
  });
  const done = triggers.run();
  return async () => {
    stop.abort();
    await done;
    await leases.close();
  };
}

export interface TriggersCommandOptions extends HealthFlags {
  readonly database?: string;
  readonly storage?: string;
}

const CONNECT_MS = 30_000;

/** `triggers`: a process of its own, until it is stopped. @returns the exit code */
export async function runTriggers(options: TriggersCommandOptions): Promise<number> {
  const closing = new Closing();
  return await closing.after(async () => {
    const log = workerLog('info');
    const interrupted = untilInterrupted(EXIT.failed);
    const storage = await openNamedStorage(options.storage);
    closing.add(() => storage.close());
    await waitingFor(`the storage ${storage.shown}`, storage.check());
    const tracing = tracingOf('triggers', (trouble) => log.warn({}, trouble));
    if (tracing) closing.add(() => tracing.shutdown());
    const target = servedTarget();
    const { client, connection } = await reach(target, CONNECT_MS, storage.dataConverter, tracing?.client);
    closing.add(() => connection.close());
    installRuntime(log);
    const native = await nativeConnection(target, connection);
    closing.add(() => native.close());
    const store = await openStore({ database: options.database });
    closing.add(() => store.close());
    const threads = new Threads({ kinds: extensions().kinds, sources: extensions().sourceFields });
    closing.add(() => threads.close());
    const { database } = store;
    const env = { ...process.env, DATABASE_URL: database.url };
    const stored = storedCredentials(dataFolder(undefined), pathOf(client), env);
    closing.add(() => stored.close());
    const { prioritized } = prioritizedBy({ auth: true });
    const metrics = new Metrics();
    closing.add(
      triggersHere({
        client,
        database,
        library: new Library(new Catalog(database.query), threads, undefined, prioritized),
        threads,
        credentials: defaultCredentials(process.env, [stored.provider]),
        metrics,
        keys: keysOrWarning(store, log),
        sealed: sealedValues(() => keysOfStore(store), storage.results(target.namespace)),
        ...(tracing && { within: tracing.within }),
        report: (line) => log.warn({}, line),
      }),
    );
    const away = whoIsAway({
      temporal: () => temporalAnswers(connection, target.namespace),
      database: () => database.ping(),
    });
    const health = await serveHealth(options, {
      ready: async () => ({ status: (await away()).length > 0 ? 'away' : 'ok' }),
      metrics: () => metrics.text(),
    });
    closing.add(() => health?.close());
    log.info(
      { temporal: target.address, namespace: target.namespace, database: store.shown },
      'taking messages',
    );
    const signal = await interrupted;
    log.info({ signal }, 'stopping: messages in hand are finished');
    return EXIT.success;
  });
}
