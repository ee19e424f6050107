/** Notes, in the transaction that writes its end, that an execution is to be judged by the staged version of its path. */
import { type Pool } from 'pg';
import { type Companion } from '../projection';

/** Executions judged per path, about: so many and no more are noted until they were counted again. */
const MAX_JUDGED = 10_000;
const COUNT_AGAIN_MS = 60_000;

/**
 * To be passed to the projection's sink. An execution that ends again, after a reset, is judged again.
 *
 * @param pool for counting, outside of the projection's transactions
 */
export function noteEnds(pool: Pick<Pool, 'query'>, now: () => number = () => performance.now()): Companion {
  const counts = new Map<string, { count: number; at: number }>();
  const count = async (path: string): Promise<void> => {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM noetl.staged_verdict WHERE path = $1',
      [path],
    );
    counts.set(path, { count: rows[0]?.count ?? 0, at: now() });
  };
  return async (db, { events, execution, plan }) => {
    if (!events.some(({ event }) => event.event_type === 'workflow.finished')) return;
    const { path } = plan.metadata;
    const counted = counts.get(path);
    if (counted && now() - counted.at > COUNT_AGAIN_MS) {
      counted.at = now();
      void count(path).catch(() => undefined);
    }
    if (counted && counted.count >= MAX_JUDGED) return;
    const { executionId, namespace, workflowId, runId } = execution;
    const { rowCount } = await db.query(
      `INSERT INTO noetl.staged_verdict (path, version, execution_id, namespace, workflow_id, run_id)
       SELECT p.path, p.staged_version, $2, $3, $4, $5 FROM noetl.catalog_path p
       WHERE p.path = $1 AND p.staged_version IS NOT NULL
       ON CONFLICT (path, version, execution_id) DO UPDATE SET run_id = excluded.run_id, verdict = NULL, cause = NULL,
         finding = NULL, touches = NULL, attempts = 0, next_at = now(), error = NULL`,
      [path, executionId, namespace, workflowId, runId],
    );
    if (!rowCount) counts.delete(path);
    else if (counted) counted.count += rowCount;
    else void count(path).catch(() => undefined);
  };
}
