/** The store: a connection pool to a Postgres whose schema `noetl` is that of this release. */
import { Kysely, PostgresDialect } from 'kysely';
import { addressOf, openPool } from '../../storage/postgres';
import { databaseError } from './database-error';
import { migrate } from './migrate';
import { type Tables } from './tables';

export interface Database {
  /** Typed queries; tables are named `noetl.…`. A BIGINT (every id) is returned as a decimal string. */
  readonly query: Kysely<Tables>;
  /**
   * As `query`, for tables that others own. @param name of a statement that is asked for often: the server parses and plans
   * it once for each connection
   */
  rows<Row>(text: string, values: readonly unknown[], name?: string): Promise<Row[]>;
  /** With its password: for separate connections. */
  readonly url: string;
  /** The pool: open connections, idle ones, and waiting requests. */
  load(): { readonly open: number; readonly idle: number; readonly waiting: number; readonly max: number };
  /** Resolves when the server responds. @throws EnvironmentError `DATABASE_…` */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const POOL_SIZE = 10;
const CONNECT_MS = 10_000;
/** A query of ours that takes longer is stuck. */
const STATEMENT_MS = 30_000;

/**
 * Migrates and opens the store.
 *
 * @throws EnvironmentError as `migrate`
 */
export async function openDatabase(url: string): Promise<Database> {
  await migrate(url);
  const pool = openPool({
    ...addressOf(url),
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'noetl-temporal',
  });
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    query,
    rows: async <Row>(text: string, values: readonly unknown[], name?: string) =>
      (await pool.query({ text, values: [...values], ...(name !== undefined && { name }) })).rows as Row[],
    url,
    load: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: POOL_SIZE,
    }),
    async ping() {
      await pool.query('SELECT 1').catch((error: unknown) => {
        throw databaseError(url, error);
      });
    },
    close: () => query.destroy(),
  };
}
