/** Forgets what the tables know of executions, so that the projection reads them again from their histories. */
import { type Pool } from 'pg';
import { transaction } from '../../../storage/postgres';

/**
 * Notifications stay: those that the new reading causes again have the same ids, and are not sent twice.
 *
 * @returns the number of executions that the tables had
 */
export async function forgetExecutions(pool: Pool, ids: readonly string[]): Promise<number> {
  return transaction(pool, async (db) => {
    // The cursor first: a projection that is writing holds it.
    await db.query(
      `DELETE FROM noetl.sink_cursor WHERE sink = 'postgres' AND execution_id = ANY($1::bigint[])`,
      [ids],
    );
    for (const table of ['canonical_event', 'event_row', 'transient', 'keyframe', 'keyframe_part'])
      await db.query(`DELETE FROM noetl.${table} WHERE execution_id = ANY($1::bigint[])`, [ids]);
    const { rowCount } = await db.query(
      `DELETE FROM noetl.execution WHERE execution_id = ANY($1::bigint[])`,
      [ids],
    );
    return rowCount ?? 0;
  });
}
