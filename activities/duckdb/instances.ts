/** Open databases of this process. A file is opened once, however many tasks use it at the same time. */
import path from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

interface Open {
  readonly instance: Promise<DuckDBInstance>;
  users: number;
}

const files = new Map<string, Open>();

export function isMemory(database: string): boolean {
  return database === '' || database.startsWith(':memory:');
}

/**
 * Runs `work` on a connection of its own. `:memory:` is a fresh database each time; a file is closed again (and its
 * lock given back to other processes) when the last task that uses it has ended.
 */
export async function withConnection<T>(
  database: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  if (isMemory(database)) {
    const instance = await DuckDBInstance.create(':memory:');
    try {
      return await onConnection(instance, work);
    } finally {
      instance.closeSync();
    }
  }
  const file = path.resolve(database);
  const open = files.get(file) ?? { instance: DuckDBInstance.create(file), users: 0 };
  files.set(file, open);
  open.users++;
  try {
    return await onConnection(await open.instance, work);
  } finally {
    open.users--;
    if (open.users === 0) {
      files.delete(file);
      (await open.instance.catch(() => undefined))?.closeSync();
    }
  }
}

async function onConnection<T>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
  }
}
