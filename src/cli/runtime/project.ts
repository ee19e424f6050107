/** `project`: a consumer per sink, until each is up to date (`--once`) or stopped. */
import os from 'node:os';
import { setMaxListeners } from 'node:events';
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { defaultCredentials } from '../../../activities/framework/credentials';
import { Meters } from '../../telemetry/metrics';
import { addressOf, openPool } from '../../storage/postgres';
import { playbookOf, temporalAnswers, whoIsAway } from '../../temporal/client';
import { installRuntime, nativeConnection } from '../../temporal/worker';
import { type Notifier, SENDERS } from '../../server/notifications';
import {
  type Consumed,
  Consumer,
  Cursors,
  forgetExecutions,
  ProjectionLeases,
  measuredSink,
  measureFailing,
  type Sink,
} from '../../server/projection';
import { databaseError, migrate, shownDatabase } from '../../server/store';
import { EXIT } from '../errors';
import { print } from '../output/say';
import { waitingFor } from '../output/waiting';
import { type Readiness, serveHealth } from './health';
import { clientFor } from './recorded-run';
import { dataFolder } from './data-folder';
import { lineageSurroundings } from './lineage';
import { notificationSettings, notifierOf, type NotifierParts } from './notifications';
import { noteEnds } from '../../server/staged';
import { stagedJudgeOf } from './staged';
import { openSinks, type SinkOptions } from './project-sinks';
import { configuredRetention, sweepOnAndOn } from './retention';
import { onInterrupt } from './signals';
import { openLocalStorage } from './storage';
import { postgresOf, type StoreOptions } from './store';
import { storedCredentials } from './stored-credentials';
import { knownKeyRing } from '../../storage/keyring';
import { Closing, hasCode } from '../../language/errors';

export interface ProjectOptions extends SinkOptions, StoreOptions {
  readonly once: boolean;
  /** File with targets of notifications; default NOETL_NOTIFICATIONS. */
  readonly notifications?: string;
  /** Executions read concurrently, per sink. */
  readonly concurrency: number;
  readonly json?: boolean;
  readonly storage?: string;
  /** How long executions are kept; default NOETL_RETENTION. */
  readonly retention?: string;
  /** Executions that are read again from their start. */
  readonly rebuild: readonly string[];
  /** Port of the health endpoint; 0 for any, none by default. */
  readonly healthPort?: number;
  readonly healthHost: string;
}

/** Connections for reading and writing executions. */
const POOL_SIZE = 8;

/** @returns the exit code: 1 if executions were skipped, 130 if interrupted twice */
export async function project(options: ProjectOptions): Promise<number> {
  const closing = new Closing();
  let url: string | undefined;
  const policy = configuredRetention(options.retention);
  // On a shared machine, servers and workers come first.
  if (!options.once) os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // each sender and consumer waits with it
  const quiet = onInterrupt((count) => (count === 1 ? stop.abort() : process.exit(EXIT.interrupted)));
  closing.add(quiet);
  const work = async (): Promise<number> => {
    const dataDir = dataFolder(options.data);
    const postgres = await postgresOf(options);
    closing.add(() => postgres.stop());
    ({ url } = postgres);
    await waitingFor(`the database at ${shownDatabase(url)}`, migrate(url));
    const max = POOL_SIZE + SENDERS + 1;
    const pool = openPool({ ...addressOf(url), max, connectionTimeoutMillis: 10_000 });
    closing.add(() => pool.end());
    if (options.rebuild.length > 0)
      say(`forgot ${await forgetExecutions(pool, options.rebuild)} executions, to read them again`);
    const storage = await openLocalStorage(options.storage, dataDir);
    closing.add(() => storage.close());
    const { client, connection, target, stop: leave } = await clientFor(dataDir, storage.dataConverter);
    closing.add(leave);
    installRuntime();
    const native = await nativeConnection(target, connection);
    closing.add(() => native.close());
    const leases = new ProjectionLeases(url);
    closing.add(() => leases.close());
    const meters = new Meters().process();
    const { signal } = stop;
    const stored = storedCredentials(dataDir, playbookOf(client), { ...process.env, DATABASE_URL: url });
    closing.add(() => stored.close());
    const credentials = defaultCredentials(process.env, [stored.provider]);
    const notifier = openNotifier(options, { pool, client, meters, signal, credentials, ...keysIn(dataDir) });
    const work = { target, data: dataDir, storage: options.storage };
    const { staged, close } = stagedJudgeOf({ ...work, pool, client, signal, report: say });
    closing.add(close);
    const lineage = lineageSurroundings(client, credentials);
    const [first, ...others] = openSinks(
      options,
      { pool, companions: notifier ? [notifier.companion, noteEnds(pool)] : [], lineage },
      closing,
    );
    // All sinks get the same events, which are counted once.
    const sinks = [...(first ? [measuredSink(first, meters)] : []), ...others];
    const where = `${shownDatabase(url)}, as ${sinks.map((sink) => sink.name).join(', ')}`;
    say(`projecting namespace ${client.options.namespace} with cursors in ${where}`);
    const consumers = consumersOf(options, { client, pool, leases, sinks, signal });
    closing.add(await answerHealth(options, { client, pool, sinks }, consumers, meters));
    // An unavailable sink does not delay the others.
    const swept = (): Promise<void> | undefined =>
      policy && sweepOnAndOn({ pool, policy, storage, client, leases }, signal, say);
    const beside = options.once ? undefined : Promise.all([notifier?.run(), staged.run(), swept()]);
    const consumed = await Promise.all(consumers.map((consumer) => consumer.run()));
    await (beside ?? Promise.all([notifier?.once(), staged.once()]));
    return await conclude(options, sinks, consumed);
  };
  return await closing.after(work).catch((error: unknown) => {
    throw url === undefined ? error : databaseError(url, error);
  });
}

/** Without keys, messages have no links to answer by. */
function keysIn(folder: string): Pick<NotifierParts, 'keys'> {
  try {
    return { keys: knownKeyRing(folder) };
  } catch (error) {
    if (!hasCode(error, 'KEY_MISSING')) throw error;
    return {};
  }
}

/** Undefined without tables, in which the outbox is. @throws UsageError for invalid settings */
function openNotifier(
  { tables, notifications }: ProjectOptions,
  parts: Omit<NotifierParts, 'settings' | 'report'>,
): Notifier | undefined {
  if (!tables) return undefined;
  return notifierOf({ ...parts, settings: notificationSettings(notifications), report: say });
}

interface Parts {
  readonly client: Client;
  readonly pool: Pool;
  readonly leases: ProjectionLeases;
  readonly sinks: readonly Sink[];
  readonly signal: AbortSignal;
}

/** One per sink. */
function consumersOf(
  { once, concurrency }: ProjectOptions,
  { client, pool, leases, sinks, signal }: Parts,
): Consumer[] {
  return sinks.map((sink) => {
    const cursors = new Cursors(pool, sink.name);
    return new Consumer({ client, sink, cursors, leases, concurrency, once, signal, report: say });
  });
}

/** @returns stops it */
async function answerHealth(
  options: ProjectOptions,
  { client, pool, sinks }: Pick<Parts, 'client' | 'pool' | 'sinks'>,
  consumers: readonly Consumer[],
  meters: Meters,
): Promise<() => Promise<void>> {
  if (options.healthPort === undefined) return () => Promise.resolve();
  const nameOf = (index: number): string => sinks[index]?.name ?? String(index);
  const away = whoIsAway({
    temporal: () => temporalAnswers(client.connection, client.options.namespace),
    database: () => pool.query('SELECT 1'),
  });
  const standings = () => consumers.map(({ standing }, index) => ({ sink: nameOf(index), ...standing }));
  const ready = async (): Promise<Readiness> => {
    const all = standings();
    const amiss = all.find(({ status }) => status !== 'ok');
    const isAway = (await away()).length > 0;
    return { status: amiss?.status ?? (isAway ? 'away' : 'ok'), sinks: all };
  };
  measureFailing(meters, standings);
  const health = await serveHealth(options, { ready, metrics: () => meters.text() });
  return () => Promise.resolve(health?.close());
}

async function conclude(
  { once, json }: ProjectOptions,
  sinks: readonly Sink[],
  consumed: readonly Consumed[],
): Promise<number> {
  const done = sinks.map((sink, index) => ({ sink: sink.name, ...consumed[index]! }));
  if (once && json) {
    const shown = done.map(({ failed, ...more }) => ({
      ...more,
      failed: [...failed].map(([execution_id, error]) => ({ execution_id, error })),
    }));
    await print(JSON.stringify({ sinks: shown }, null, 2));
  } else {
    for (const { sink, executions, events, failed } of done) {
      const left = failed.size > 0 ? `, ${failed.size} executions left out` : '';
      say(`${sink}: ${events} events of ${executions} executions${left}`);
    }
  }
  // When following, failures are retried forever: one at shutdown is resumed from its cursor.
  return once && done.some(({ failed }) => failed.size > 0) ? EXIT.failed : EXIT.success;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
