/**
 * The store for commands that work directly on the database: a named Postgres, otherwise the one of the data
 * folder.
 */
import { type Database, ensureEmbeddedPostgres, openDatabase, shownDatabase } from '../../server/store';
import { waitingFor } from '../output/waiting';
import { dataFolder } from './data-folder';
import { compact } from '../../language/plan';

/** Which database. */
export interface StoreOptions {
  /** A postgres:// URL; default DATABASE_URL. */
  readonly database?: string;
  readonly data?: string;
  /** Of the Postgres of the data folder, where it is started. */
  readonly port?: number | undefined;
}

/** The named Postgres, else the one of DATABASE_URL or of the data folder, which is started. */
export function postgresOf({
  database,
  data,
  port,
}: StoreOptions): ReturnType<typeof ensureEmbeddedPostgres> {
  const env = database ? { DATABASE_URL: database } : process.env;
  return ensureEmbeddedPostgres(dataFolder(data), env, port);
}

export interface OpenCatalogStore {
  readonly database: Database;
  /** host:port/database, without secrets. */
  readonly shown: string;
  readonly embedded: boolean;
  /** Settles when the embedded server has ended. */
  readonly ended: Promise<void>;
  /** Of the embedded server. */
  readonly logFile?: string;
  close(): Promise<void>;
}

/**
 * Migrates and opens the store; starts the embedded Postgres of the data folder if none is named.
 *
 * @throws EnvironmentError `DATABASE_…`, `SCHEMA_…`
 */
export async function openStore(options: StoreOptions): Promise<OpenCatalogStore> {
  const postgres = await postgresOf(options);
  try {
    const database = await waitingFor(
      `the database at ${shownDatabase(postgres.url)}`,
      openDatabase(postgres.url),
    );
    return {
      database,
      shown: shownDatabase(postgres.url),
      embedded: postgres.embedded,
      ended: postgres.ended,
      ...compact({ logFile: postgres.logFile }),
      close: async () => {
        await database.close();
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Opens the store for `work` and closes it. */
export async function withStore<T>(
  options: StoreOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const store = await openStore(options);
  try {
    return await work(store.database);
  } finally {
    await store.close();
  }
}
