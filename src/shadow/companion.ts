/** Notes, in the transaction that writes its end, that an execution is to be judged by the staged version of its path. */
import { type Companion } from '../projection';

/** Executions judged per staged version. */
const MAX_JUDGED = 10_000;

/** To be passed to the projection's sink. An execution that ends again, after a reset, is judged again. */
export const noteEnds: Companion = async (db, { events, execution, plan }) => {
  if (!events.some(({ event }) => event.event_type === 'workflow.finished')) return;
  const { executionId, namespace, workflowId, runId } = execution;
  await db.query(
    `INSERT INTO noetl.shadow (path, version, execution_id, namespace, workflow_id, run_id)
     SELECT p.path, p.staged_version, $2, $3, $4, $5 FROM noetl.catalog_path p
     WHERE p.path = $1 AND p.staged_version IS NOT NULL
       AND (SELECT count(*) FROM noetl.shadow s WHERE s.path = p.path) < ${MAX_JUDGED}
     ON CONFLICT (path, version, execution_id) DO UPDATE SET run_id = excluded.run_id, verdict = NULL, cause = NULL,
       finding = NULL, touches = NULL, attempts = 0, next_at = now(), error = NULL`,
    [plan.metadata.path, executionId, namespace, workflowId, runId],
  );
};
