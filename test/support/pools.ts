/** Pools of connections for tests that look into tables. */
import { Pool } from 'pg';

/** Called once in a test file. @returns opens a pool on a database, which is ended when the test is over */
export function usePools(): (url: string) => Pool {
  const pools: Pool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.end();
  });
  return (url) => {
    const pool = new Pool({ connectionString: url });
    // Without a listener, a connection that a test cuts would end the process.
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
}
