import { type Pool, type PoolClient } from 'pg';

/** Runs `work` in a transaction of its own, which an error rolls back. */
export async function transaction<T>(pool: Pool, work: (db: PoolClient) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  let broken: Error | undefined;
  // Reported here if a connection dies between two statements; without a listener it would end the process.
  const died = (error: Error): void => void (broken = error);
  db.on('error', died);
  try {
    await db.query('BEGIN');
    const done = await work(db);
    await db.query('COMMIT');
    return done;
  } catch (error) {
    await db.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    db.off('error', died);
    db.release(broken);
  }
}
