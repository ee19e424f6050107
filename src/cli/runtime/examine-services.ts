/** Checks of `doctor` on the servers named by the environment. Nothing is started, migrated or changed. */
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { openStorage } from '../../storage/blobs';
import { KEY_FILE } from '../../storage/keyring';
import { addressOf } from '../../storage/postgres';
import { databaseError, migrations, shownDatabase } from '../../server/store';
import { messageOf } from '../../language/errors';
import {
  type QueueSigns,
  createAttribute,
  SEARCH_ATTRIBUTE_KEYS,
  signsOf,
  taskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../temporal/client';
import { atServer } from './reach';
import { waitingFor } from '../output/waiting';
import { SKEW_MS } from './examine-clock';
import { type Observed } from './finding';
import { servedKinds } from './served-kinds';

const CONNECT_MS = 5_000;
const TASK_QUEUE_TYPE_WORKFLOW = 1;

/** Search attributes of an external server; undefined without one, because the embedded one has them. */
export async function searchAttributes(): Promise<Observed | undefined> {
  return await atServer(async (connection, namespace) => {
    const attributes = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTE_KEYS.filter(({ name }) => !attributes.customAttributes?.[name]);
    if (missing.length === 0) return { status: 'ok', message: `registered in namespace ${namespace}` };
    return {
      status: 'note',
      message: `${missing.map(({ name }) => name).join(', ')} missing in namespace ${namespace}: lists cannot filter by them`,
      fix: missing.map((key) => createAttribute(namespace, key)),
    };
  });
}

/** Whether an external server gives tasks to workers by `spec.priority` and `spec.fairness`. */
export async function priorities(): Promise<Observed | undefined> {
  return await atServer(async (connection, namespace) => {
    const { statsByPriorityKey } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: WORKFLOW_TASK_QUEUE },
      taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
      reportStats: true,
    });
    return prioritiesFinding(Object.keys(statsByPriorityKey ?? {}).length > 0);
  });
}

/** A server does not say whether fairness is switched on. */
export function prioritiesFinding(isKnown: boolean): Observed {
  if (isKnown)
    return {
      status: 'ok',
      message:
        '`spec.priority` is supported; `spec.fairness` if matching.enableFairness is on, which servers do not report',
    };
  return {
    status: 'note',
    message: 'the server is too old for `spec.priority` and `spec.fairness`, and ignores them',
    fix: ['Update Temporal, or do without: playbooks still run (docs/limits.md).'],
  };
}

/** Queues without workers, on an external server: amiss if something waits there. */
export async function taskQueues(): Promise<Observed | undefined> {
  return await atServer(async (connection, namespace) => {
    const client = new Client({ connection, namespace });
    const workflows = { kind: 'workflows', name: WORKFLOW_TASK_QUEUE, type: 'workflow' as const };
    const kinds = servedKinds().map((kind) => ({ kind, name: taskQueue(kind), type: 'activity' as const }));
    const all = await Promise.all(
      [workflows, ...kinds].map(async ({ kind, ...queue }) => ({ kind, ...(await signsOf(client, queue)) })),
    );
    return unservedFinding(all.filter(({ isServed }) => !isServed));
  });
}

type Idle = Pick<QueueSigns, 'backlog' | 'backlogAge'> & { readonly kind: string };

/** @param idle queues without workers */
export function unservedFinding(idle: readonly Idle[]): Observed {
  if (idle.length === 0) return { status: 'ok', message: 'workflows and every kind have workers' };
  const waiting = idle.filter(({ backlog }) => backlog > 0);
  const shown = waiting.length > 0 ? waiting : idle;
  const kinds = shown.map(({ kind }) => kind).filter((kind) => kind !== 'workflows');
  const fix = [
    ...(kinds.length < shown.length ? ['noetl-temporal worker --workflows'] : []),
    ...(kinds.length > 0 ? [`noetl-temporal worker --kinds ${kinds.join(',')}`] : []),
  ];
  if (waiting.length === 0)
    return { status: 'note', message: `no worker polls ${shown.map(({ kind }) => kind).join(', ')}`, fix };
  const queues = waiting.map(({ kind, backlog, backlogAge }) => `${kind} (${backlog}, for ${backlogAge} s)`);
  return { status: 'missing', message: `tasks wait, and no worker serves them: ${queues.join(', ')}`, fix };
}

/** The database of DATABASE_URL: whether it responds, its version, schema and clock. */
export async function database(): Promise<Observed | undefined> {
  const url = process.env.DATABASE_URL;
  if (!url) return undefined;
  const client = new PostgresClient({ ...addressOf(url), connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined); // reported by the query
  try {
    await waitingFor(`the database at ${shownDatabase(url)}`, client.connect());
    const before = Date.now();
    const { rows } = await client.query<{ version: string; at: Date; book: string | null }>(
      `SELECT current_setting('server_version') AS version, clock_timestamp() AS at,
              to_regclass('noetl.schema_migration')::text AS book`,
    );
    const { version, at, book } = rows[0]!;
    const skew = Math.abs(at.getTime() - (before + Date.now()) / 2);
    if (skew > SKEW_MS) {
      const message = `its clock and ours differ by ${Math.round(skew / 1000)} s`;
      return { status: 'note', message, fix: ['Synchronize both with NTP.'] };
    }
    const applied = book
      ? (await client.query<{ number: number }>('SELECT number FROM noetl.schema_migration')).rows
      : [];
    const missing = migrations().filter((one) => !applied.some(({ number }) => number === one.number)).length;
    const schema =
      missing === 0 ? 'schema noetl is current' : `${missing} migrations will run when serve starts`;
    return { status: 'ok', message: `${shownDatabase(url)}, Postgres ${version}, ${schema}` };
  } catch (error) {
    throw databaseError(url, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The storage of NOETL_STORAGE: whether written data can be read. */
export async function storage(): Promise<Observed | undefined> {
  const named = process.env.NOETL_STORAGE;
  if (!named) return undefined;
  const opened = await openStorage(named);
  try {
    await opened.check();
    return { status: 'ok', message: opened.shown };
  } finally {
    await opened.close();
  }
}

/** The key for stored credentials in the data folder: only its owner may read it. */
export function keyFile(dataDir: string): Observed | undefined {
  const file = path.join(dataDir, KEY_FILE);
  try {
    const mode = fs.statSync(file).mode & 0o777;
    if ((mode & 0o077) === 0) return { status: 'ok', message: file };
    return {
      status: 'missing',
      message: `${file} is readable by others (mode ${mode.toString(8)})`,
      fix: [`chmod 600 ${file}`],
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { status: 'missing', message: messageOf(error) };
  }
}
