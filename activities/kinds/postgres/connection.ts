/** Connection pools, one per credential, and cancellation of running statements. */
import { numberSetting } from '../../../src/language/errors/number-settings';
import { createHash } from 'node:crypto';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { openPool } from '../../../src/storage/postgres';
import { type Credential } from '../../framework/credentials/credential';
import { TaskSlots } from '../../framework/tool/slots';
import { configOf, inDatabase } from './login';

const DEFAULT_MAX_CONNECTIONS = 16;
const CANCEL_LIMIT_MS = 5000;

export interface PostgresServer {
  readonly config: ClientConfig;
  readonly pool: Pool;
  /**
   * One per connection of the pool: waiting for a connection is limited by the task's timeout, not by the connect
   * timeout.
   */
  readonly slots: TaskSlots;
}

export interface PoolLimits {
  readonly connectMs: number;
  /** Overrides the credential's. */
  readonly database?: string;
  /** Connections per worker; defaults to the credential's `pool_max`, then `NOETL_POSTGRES_POOL_MAX`, then 16. */
  readonly max?: number;
}

const servers = new Map<string, PostgresServer>();

/** The pool of a credential; connections are opened on demand and closed after 10 idle seconds. */
export function postgresServerOf(credential: Credential, limits: PoolLimits): PostgresServer {
  const config = {
    ...inDatabase(configOf(credential), limits.database),
    connectionTimeoutMillis: limits.connectMs,
    application_name: 'noetl-temporal',
  };
  const max =
    limits.max ??
    positive(credential.data['pool_max']) ??
    numberSetting('NOETL_POSTGRES_POOL_MAX') ??
    DEFAULT_MAX_CONNECTIONS;
  const key = createHash('sha256')
    // What checks a certificate's name is a function, and what makes a connection is one, with our certificate on it.
    .update(
      JSON.stringify([config, max], (_, value: unknown) =>
        value instanceof Function ? { function: value.name, ...value } : value,
      ),
    )
    .digest('hex');
  let server = servers.get(key);
  if (!server) {
    const pool = openPool({
      ...config,
      max,
      idleTimeoutMillis: 10_000,
      allowExitOnIdle: true,
    });
    server = { config, pool, slots: new TaskSlots(max) };
    servers.set(key, server);
  }
  return server;
}

function positive(value: unknown): number | undefined {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

export async function closeServers(): Promise<void> {
  const all = [...servers.values()];
  servers.clear();
  await Promise.all(all.map((server) => server.pool.end()));
}

/**
 * Asks the server, over a separate connection, to cancel what `client` runs; waits for the request, not for its effect.
 * Gives up if the server does not respond.
 */
export async function cancelBackend(server: PostgresServer, client: PoolClient): Promise<void> {
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
    // The server is unreachable: the caller drops the connection itself.
  } finally {
    await canceller.end().catch(() => undefined);
  }
}
