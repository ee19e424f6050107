/** Open databases of this process. A file is opened once, however many tasks use it at the same time. */
import path from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { FileTurns } from './turns';

const turns = new FileTurns();
const files = new Map<string, { readonly instance: Promise<DuckDBInstance>; users: number }>();
const connections = new Set<DuckDBConnection>();

// Node waits for its threads before it ends, however it was told to, and a query that runs is one of them.
process.on('exit', () => connections.forEach((connection) => connection.interrupt()));

export function isMemory(database: string): boolean {
  return database === '' || database.startsWith(':memory:');
}

export interface Use {
  /** No other task of this process is to use the database meanwhile: what is set and attached is everybody's. */
  readonly alone: boolean;
  /** Ends the waiting for others. */
  readonly signal: AbortSignal;
}

/**
 * Runs `work` on a connection of its own. `:memory:` is a fresh database each time; a file is closed again (and its
 * lock given back to other processes) when the last task that uses it has ended.
 */
export async function withConnection<T>(
  database: string,
  { alone, signal }: Use,
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
  const done = await turns.take(file, alone, signal);
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
 * `NOETL_DUCKDB_EXTENSIONS` is the folder of extensions, where DuckDB's own is not to be used; `NOETL_DUCKDB_MEMORY_MB` the
 * memory of each database, where the four fifths of the machine that it takes unless told are too much.
 */
function open(database: string): Promise<DuckDBInstance> {
  const extensions = process.env['NOETL_DUCKDB_EXTENSIONS']?.trim();
  const memory = Number(process.env['NOETL_DUCKDB_MEMORY_MB']);
  return DuckDBInstance.create(database, {
    // Secrets that last would be kept in files, as they are: this is no folder, and never will be.
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
