/** Pools of connections to Postgres, shared by every module that needs one. */
import { Pool, type PoolConfig } from 'pg';

/**
 * A pool whose connections may break at any time without ending the process: without a listener Node would exit. A
 * broken idle connection is replaced; a broken one in use fails its current or next query.
 */
export function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config);
  // The pool reports errors of idle connections; connections in use report their own.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
