/**
 * The Postgres behind the credential `pg_local`: a real server in the data folder, unless DATABASE_URL names
 * another. Started on demand, shared by the processes of a data folder, stopped by the last of them.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { addressOf, postgresTls, wordsOf } from '../../storage/postgres';
import { EnvironmentError, hasCode, messageOf } from '../../language/errors';
import { holdService, type ServiceHold } from '../../temporal/client';
import { clusterPassword, POSTGRES_USER, prepareCluster } from './postgres-cluster';

export interface Postgres {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** The data of a `postgres` credential, with NoETL's field names. */
  readonly data: {
    readonly db_host: string;
    readonly db_port: number;
    readonly db_user: string;
    readonly db_password: string;
    readonly db_name: string;
  };
  /** False if named by DATABASE_URL: then we must not stop it. */
  readonly embedded: boolean;
  /** Settles when the embedded server has ended, whoever stopped it; never for an external one. */
  readonly ended: Promise<void>;
  /** Of the embedded server. */
  readonly logFile?: string;
  stop(): Promise<void>;
}

const DATABASE = 'noetl';
const READY_LIMIT_MS = 30_000;
/** SIGINT stops Postgres fast and cleanly: open transactions are rolled back. */
const STOP_LIMIT_MS = 10_000;
/**
 * After a crash the first start may fail while old processes are still ending; the port may be taken concurrently.
 */
const START_ATTEMPTS = 4;

/**
 * Starts the embedded Postgres of a data folder, or joins the running one.
 *
 * @param dataDir the data folder; files are in `postgres/` below it
 * @param port of a server that is started, if it is free; 0 for any
 * @throws EnvironmentError naming the log if it does not start
 */
export async function ensureEmbeddedPostgres(
  dataDir: string,
  env: Record<string, string | undefined> = process.env,
  port = 0,
): Promise<Postgres> {
  if (env.DATABASE_URL) return fromUrl(env.DATABASE_URL);
  const folder = path.resolve(dataDir, 'postgres');
  let failure: unknown;
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    let hold: ServiceHold | undefined;
    try {
      hold = await holdService({
        name: 'postgres',
        folder,
        stopSignal: 'SIGINT',
        stopLimitMs: STOP_LIMIT_MS,
        prepare: () => prepareCluster(folder, clusterPassword(folder), port),
      });
      return await whenReady(hold, clusterPassword(folder));
    } catch (error) {
      failure = error;
      await hold?.release();
      if (!hasCode(error, 'SERVICE_ENDED')) throw error;
      await sleep(150 * attempt);
    }
  }
  throw failure;
}

async function whenReady(hold: ServiceHold, password: string): Promise<Postgres> {
  const port = Number(hold.info.port);
  const deadline = Date.now() + READY_LIMIT_MS;
  let over = false;
  void hold.ended.then(() => (over = true));
  let last: unknown;
  while (!over && Date.now() < deadline) {
    try {
      await createDatabase(urlOf(port, password, 'postgres'), DATABASE);
      return {
        url: urlOf(port, password, DATABASE),
        data: {
          db_host: '127.0.0.1',
          db_port: port,
          db_user: POSTGRES_USER,
          db_password: password,
          db_name: DATABASE,
        },
        embedded: true,
        ended: hold.ended,
        logFile: hold.logFile,
        stop: () => hold.release(),
      };
    } catch (error) {
      last = error;
      await sleep(15);
    }
  }
  const fix = [`Its log: ${hold.logFile}`];
  if (over) throw new EnvironmentError('SERVICE_ENDED', 'The embedded Postgres exited immediately.', fix);
  throw new EnvironmentError(
    'POSTGRES_NOT_READY',
    `The embedded Postgres did not start: ${messageOf(last)}`,
    fix,
  );
}

function urlOf(port: number, password: string, database: string): string {
  return `postgres://${POSTGRES_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/** Creates a database on the server at `adminUrl`; it may already exist, or be created concurrently. */
export async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new Client({ ...addressOf(adminUrl), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a lost connection is reported by the query
  try {
    await client.connect();
    const existing = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function fromUrl(url: string): Postgres {
  let parsed: URL;
  try {
    parsed = new URL(url);
    if (!/^postgres(ql)?:$/.test(parsed.protocol)) throw new Error(parsed.protocol);
    postgresTls(wordsOf(parsed));
  } catch (error) {
    if (hasCode(error, 'TLS_WORD'))
      throw new EnvironmentError('DATABASE_URL_INVALID', `The database URL is invalid: ${error.message}.`, [
        'Its query accepts sslmode, sslrootcert, sslcert and sslkey as psql does.',
      ]);
    // The text contains a password, so it is not quoted.
    throw new EnvironmentError('DATABASE_URL_INVALID', 'The database URL is not a postgres:// URL.', [
      'Set --database or DATABASE_URL to postgres://user:password@host:port/database.',
    ]);
  }
  return {
    url,
    data: {
      db_host: parsed.hostname,
      db_port: Number(parsed.port || 5432),
      db_user: decodeURIComponent(parsed.username),
      db_password: decodeURIComponent(parsed.password),
      db_name: decodeURIComponent(parsed.pathname.slice(1)),
      ...wordsOf(parsed),
    },
    embedded: false,
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  };
}
