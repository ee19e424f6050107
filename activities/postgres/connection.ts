/** Pools, one per credential, and cancelling what runs on a server. */
import { createHash } from 'node:crypto';
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { type Credential } from '../credentials/credential';
import { field } from '../fields';
import { ToolError } from '../outcome';
import { Slots } from '../slots';

const DEFAULT_MAX_CONNECTIONS = 16;
const CANCEL_LIMIT_MS = 5000;

export interface Server {
  readonly config: ClientConfig;
  readonly pool: Pool;
  /** As many as the pool has connections: who waits for one waits as long as his task may, not as a connection may. */
  readonly slots: Slots;
}

export interface PoolLimits {
  readonly connectMs: number;
  /** Instead of the credential's. */
  readonly database?: string;
  /** Connections of this worker; else the credential's `pool_max`, else `NOETL_POSTGRES_POOL_MAX`, else 16. */
  readonly max?: number;
}

const servers = new Map<string, Server>();

/** The pool of a credential; connections are made when needed and closed after 10 idle seconds. */
export function serverOf(credential: Credential, limits: PoolLimits): Server {
  const config = {
    ...inDatabase(configOf(credential), limits.database),
    connectionTimeoutMillis: limits.connectMs,
    application_name: 'noetl-temporal',
  };
  const max =
    limits.max ??
    positive(credential.data['pool_max']) ??
    positive(process.env['NOETL_POSTGRES_POOL_MAX']) ??
    DEFAULT_MAX_CONNECTIONS;
  const key = createHash('sha256')
    .update(JSON.stringify([config, max]))
    .digest('hex');
  let server = servers.get(key);
  if (!server) {
    const pool = new Pool({
      ...config,
      max,
      idleTimeoutMillis: 10_000,
      allowExitOnIdle: true,
    });
    // An idle connection that the server ends: the pool drops it, and without a listener Node would exit.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    server = { config, pool, slots: new Slots(max) };
    servers.set(key, server);
  }
  return server;
}

function positive(value: unknown): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function inDatabase(config: ClientConfig, database: string | undefined): ClientConfig {
  if (database === undefined) return config;
  if (!config.connectionString) return { ...config, database };
  const url = new URL(config.connectionString);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { ...config, connectionString: url.href };
}

export async function closeServers(): Promise<void> {
  const all = [...servers.values()];
  servers.clear();
  await Promise.all(all.map((server) => server.pool.end()));
}

/** Accepts `dsn`/`url`/`connection_string`, or host, port, user, password, database with or without `db_` in front. */
export function configOf(credential: Credential): ClientConfig {
  const { data, name } = credential;
  if (
    credential.type &&
    !/^(postgres|postgresql|pg|postgis|timescale.*|alloydb|cockroach.*)/i.test(credential.type)
  ) {
    const message = `credential '${name}' is of type '${credential.type}', which postgres cannot use`;
    throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_UNSUITABLE', message });
  }
  const get = (...names: string[]): string | undefined => {
    const value = field(data, ...names);
    return value === undefined ? undefined : String(value);
  };
  const dsn = get('dsn', 'url', 'uri', 'connection_string');
  if (dsn) return { connectionString: dsn };
  const host = get('db_host', 'host', 'hostname');
  if (!host) {
    const message = `credential '${name}' has no db_host (or host, dsn, url)`;
    throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_INVALID', message });
  }
  const ssl = get('sslmode', 'ssl');
  return {
    host,
    port: Number(get('db_port', 'port') ?? 5432),
    user: get('db_user', 'user', 'username'),
    password: get('db_password', 'password'),
    database: get('db_name', 'database', 'dbname', 'db_database', 'db'),
    ...(ssl !== undefined &&
      !['disable', 'false', 'allow', 'prefer'].includes(ssl.toLowerCase()) && {
        ssl: { rejectUnauthorized: /^verify/.test(ssl) },
      }),
  };
}

/**
 * Asks the server, on a connection of its own, to cancel what `client` runs; waits for the request, not for its
 * effect. A server that does not answer is given up.
 */
export async function cancelBackend(server: Server, client: PoolClient): Promise<void> {
  const pid = (client as unknown as { processID: number | null }).processID;
  if (!pid) return;
  const canceller = new Client({
    ...server.config,
    connectionTimeoutMillis: CANCEL_LIMIT_MS,
    query_timeout: CANCEL_LIMIT_MS,
  });
  canceller.on('error', () => undefined);
  try {
    await canceller.connect();
    await canceller.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // Nobody to ask: the connection itself is dropped by the caller.
  } finally {
    await canceller.end().catch(() => undefined);
  }
}
