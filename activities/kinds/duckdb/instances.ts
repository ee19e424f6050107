/** Open databases of this process. A file is opened once, however many tasks use it concurrently. */
import path from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ToolContext } from '../../framework/tool/tool';
import { FileTurns } from './turns';

const turns = new FileTurns();
const files = new Map<string, { readonly instance: Promise<DuckDBInstance>; users: number }>();
const connections = new Set<DuckDBConnection>();

// Before it exits, Node waits for its threads, including one that runs a query.
process.on('exit', () => connections.forEach((connection) => connection.interrupt()));

export function isMemory(database: string): boolean {
  return database === '' || database.startsWith(':memory:');
}

export interface Use {
  /** Excludes other tasks of this process: settings and attached databases are shared by all. */
  readonly alone: boolean;
  /** Aborts the wait for other tasks. */
  readonly signal: AbortSignal;
  readonly waitFor?: ToolContext['waitFor'];
}

/**
 * Runs `work` on its own connection. `:memory:` is a fresh database each time; a file is closed (and its lock released
 * for other processes) when the last task that uses it has ended.
 */
export async function withConnection<T>(
  database: string,
  { alone, signal, waitFor }: Use,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  if (isMemory(database)) {
    const instance = await open(':memory:');
    try {
      return await onConnection(instance, work);
    } finally {
      instance.closeSync();
    }
  }
  const file = path.resolve(database);
  const turn = turns.take(file, alone, signal);
  const done = await (waitFor?.(turn, (giveBack) => giveBack()) ?? turn);
  const shared = files.get(file) ?? { instance: open(file), users: 0 };
  files.set(file, shared);
  shared.users++;
  try {
    return await onConnection(await shared.instance, work);
  } finally {
    shared.users--;
    if (shared.users === 0) {
      files.delete(file);
      (await shared.instance.catch(() => undefined))?.closeSync();
    }
    done();
  }
}

/**
 * `NOETL_DUCKDB_EXTENSIONS` is the folder of extensions if DuckDB's own should not be used; `NOETL_DUCKDB_MEMORY_MB`
 * limits the memory of each database, if the default, 80 % of the machine's, is too much.
 */
function open(database: string): Promise<DuckDBInstance> {
  const extensions = process.env['NOETL_DUCKDB_EXTENSIONS']?.trim();
  const memory = Number(process.env['NOETL_DUCKDB_MEMORY_MB']);
  return DuckDBInstance.create(database, {
    // Persistent secrets would be stored in files, unencrypted: this is deliberately not a valid folder.
    secret_directory: '/dev/null/none',
    ...(memory > 0 && { memory_limit: `${Math.floor(memory)}MB` }),
    ...(extensions && { extension_directory: path.resolve(extensions) }),
  });
}

async function onConnection<T>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  connections.add(connection);
  try {
    return await work(connection);
  } finally {
    connections.delete(connection);
    connection.closeSync();
  }
}
