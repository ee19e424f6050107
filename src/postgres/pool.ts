/** Pools of connections to Postgres, shared by every module that needs one. */
import { Pool, type PoolConfig } from 'pg';

/**
 * A pool whose connections may break at any time without ending the process: without a listener Node would exit. One that
 * is idle is replaced; one that is in use tells the query that it works on, or the next one.
 */
export function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config);
  // An idle connection is told of by the pool, one that somebody has taken out by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
