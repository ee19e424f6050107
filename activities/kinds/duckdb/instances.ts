/**
 * Databases and the processes that have them open. A file is opened once in this worker, however many tasks use it
 * concurrently; a database in memory has a process to itself.
 */
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Level } from '../../framework/sandbox';
import { CodedError } from '../../../src/language/errors';
import { numberSetting } from '../../../src/language/errors/number-settings';
import { type ToolContext } from '../../framework/tool/tool';
import { unlessStopped } from '../../framework/tool/unless-stopped';
import { Connection, openDuckdb } from './process/connection';
import { giveBack, sandboxed, unconfined } from './process/pool';
import { type DuckdbProcess } from './process/process';
import { FileTurns } from './turns';

const turns = new FileTurns();
const files = new Map<string, Shared>();
/** Tasks that may have ended the process of others: they run alone from now on. */
const suspects = new Set<string>();
const MAX_SUSPECTS = 1000;

/** A database, and how many tasks use it. */
interface Shared {
  readonly database: Promise<Database>;
  /** Undefined until it is open. */
  process?: DuckdbProcess;
  users: number;
  /** Its last task has ended. */
  closing?: Promise<void>;
}

export function isMemory(database: string): boolean {
  return database === '' || database.startsWith(':memory:');
}

export interface Use {
  /** Identifies the task, for all its attempts. */
  readonly task: string;
  readonly level: Level;
  /** The folder of the task's files. */
  readonly folder: string | undefined;
  /** Excludes other tasks of this worker: settings and attached databases are shared by all. */
  readonly alone: boolean;
  /** Aborts the wait for other tasks, and what is done. */
  readonly signal: AbortSignal;
  readonly waitFor?: ToolContext['waitFor'];
}

/**
 * Runs `work` on its own connection. `:memory:` is a fresh database each time; a file is closed (and its lock released
 * for other processes) when the last task that uses it has ended.
 */
export async function withConnection<T>(
  database: string,
  use: Use,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  if (isMemory(database)) return onShared(newShare(':memory:', use), use, work);
  const { signal, waitFor } = use;
  const file = path.resolve(database);
  const turn = turns.take(file, use.alone || suspects.delete(use.task), signal);
  const done = await (waitFor?.(turn, (back) => back()) ?? turn);
  try {
    return await onShared(shareOf(file, use), use, work);
  } catch (error) {
    const isSuspect = error instanceof CodedError && error.code === 'DUCKDB_LOST';
    if (isSuspect && suspects.size < MAX_SUSPECTS) suspects.add(use.task);
    throw error;
  } finally {
    if (files.get(file)?.users === 0) files.delete(file);
    done();
  }
}

/** The file where it is open; where its process has died, it is opened in another. */
function shareOf(file: string, use: Use): Shared {
  const before = files.get(file);
  if (before && !before.closing && before.process?.isAlive !== false) return before;
  const shared = newShare(file, use, before?.closing);
  files.set(file, shared);
  return shared;
}

function newShare(database: string, use: Use, after?: Promise<void>): Shared {
  const opened = after ? after.then(() => open(database, use)) : open(database, use);
  const shared: Shared = { database: opened, users: 0 };
  shared.database.then(
    ({ process: child }) => (shared.process = child),
    () => undefined,
  );
  return shared;
}

async function onShared<T>(
  shared: Shared,
  { signal }: Use,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  shared.users++;
  try {
    return await onConnection(await unlessStopped(shared.database, { signal }), signal, work);
  } finally {
    shared.users--;
    if (shared.users === 0) {
      shared.closing = shared.database.then((one) => one.close()).catch(() => undefined);
      // Nobody waits for one that was not even open in time.
      if (shared.process) await shared.closing;
    }
  }
}

async function onConnection<T>(
  { process: child }: Database,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(child);
  try {
    return await stoppable(connection, signal, work);
  } finally {
    await connection.close();
  }
}

/** An abort interrupts the statement; if that does not help, it ends the process. */
async function stoppable<T>(
  connection: Connection,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let callOff: (() => void) | undefined;
  const interrupt = (): void => void (callOff = connection.interrupt());
  if (signal.aborted) throw new Error('stopped before its first statement');
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await work(connection);
  } finally {
    signal.removeEventListener('abort', interrupt);
    callOff?.();
  }
}

/** A database that a process has open. */
interface Database {
  readonly process: DuckdbProcess;
  close(): Promise<void>;
}

async function open(database: string, { level, folder }: Use): Promise<Database> {
  if (level !== 'none') {
    const child = await sandboxed(level, folder);
    child.keepsAlive(true);
    return { process: child, close: async () => child.kill() };
  }
  const child = await unconfined();
  child.keepsAlive(true);
  const temporary = await mkdtemp(path.join(os.tmpdir(), 'noetl-duckdb-'));
  const close = async (): Promise<void> => {
    const reply = await child.ask({ op: 'close' }).catch(() => undefined);
    child.keepsAlive(false);
    giveBack(child, Number(reply?.meta['rss'] ?? Infinity));
    await rm(temporary, { recursive: true, force: true });
  };
  try {
    await openDuckdb(child, database, { temp_directory: temporary, ...shares() });
    return { process: child, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * `NOETL_DUCKDB_MEMORY_MB` and `NOETL_DUCKDB_TEMP_MB` limit memory and temporary files of each database; otherwise half
 * of the machine's memory, and half of the free space. `NOETL_DUCKDB_EXTENSIONS` is the folder of extensions if
 * DuckDB's own should not be used.
 */
function shares(): Record<string, string> {
  const memory = Math.floor(numberSetting('NOETL_DUCKDB_MEMORY_MB') ?? machineMemory() / 2 / 1024 / 1024);
  const space = Math.floor(numberSetting('NOETL_DUCKDB_TEMP_MB') ?? freeSpace() / 2 / 1024 / 1024);
  const extensions = process.env['NOETL_DUCKDB_EXTENSIONS']?.trim();
  return {
    memory_limit: `${memory}MB`,
    max_temp_directory_size: `${space}MB`,
    ...(extensions && { extension_directory: path.resolve(extensions) }),
  };
}

/** In bytes; that of the container if it has less than the machine. */
function machineMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

function freeSpace(): number {
  const { bavail, bsize } = fs.statfsSync(os.tmpdir());
  return bavail * bsize;
}
