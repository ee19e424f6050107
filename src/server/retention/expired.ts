/** Which executions have expired, by the tables of the projection, and their removal from these. */
import { type Pool, type PoolClient } from 'pg';
import { type RetentionPolicy, shortestHours } from './policy';

export interface ExpiredExecution {
  readonly executionId: string;
  readonly workflowId: string;
  readonly path: string;
  readonly endedAt: Date;
}

/** Executions that go together, or not at all: callers with what they called, originals with their reruns. */
export type ExpiredFamily = readonly ExpiredExecution[];

const PAGE = 500;

/** An execution's retention: `$1` patterns of LIKE, `$2` hours or NULL, in the order of the rules. */
const EXPIRED = `(SELECT e.end_time < now() - r.hours * interval '1 hour'
  FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS r (pattern, hours, n)
  WHERE e.path LIKE r.pattern ORDER BY r.n LIMIT 1) IS TRUE`;

/** A page of expired ones after `$4, $5`; the heads of their families; their families; those that may go. */
const FAMILIES = `
WITH RECURSIVE old AS (
  SELECT e.execution_id, e.parent_execution_id, e.rerun_of, e.end_time FROM noetl.execution e
  WHERE e.end_time < now() - $3 * interval '1 hour' AND (e.end_time, e.execution_id) > ($4::timestamptz, $5::bigint)
    AND ${EXPIRED}
  ORDER BY e.end_time, e.execution_id LIMIT ${PAGE}
), up AS (
  SELECT execution_id, parent_execution_id, rerun_of FROM old
  UNION
  SELECT p.execution_id, p.parent_execution_id, p.rerun_of
  FROM up JOIN noetl.execution p ON p.execution_id IN (up.parent_execution_id, up.rerun_of)
), family AS (
  SELECT execution_id AS head, execution_id FROM up
  WHERE NOT EXISTS (SELECT FROM noetl.execution p WHERE p.execution_id IN (up.parent_execution_id, up.rerun_of))
  UNION
  SELECT f.head, c.execution_id
  FROM family f JOIN noetl.execution c ON c.parent_execution_id = f.execution_id OR c.rerun_of = f.execution_id
)
SELECT
  (SELECT json_build_object('at', end_time, 'id', execution_id::text)
   FROM old ORDER BY end_time DESC, execution_id DESC LIMIT 1) AS last,
  (SELECT json_agg(members) FROM (
     SELECT json_agg(json_build_object('executionId', e.execution_id::text, 'workflowId', e.workflow_id,
                                       'path', e.path, 'endedAt', e.end_time) ORDER BY e.execution_id) AS members
     FROM family f JOIN noetl.execution e USING (execution_id)
     GROUP BY f.head HAVING bool_and(${EXPIRED})) AS whole) AS families`;

interface Page {
  readonly last: { readonly at: string; readonly id: string } | null;
  readonly families: (Omit<ExpiredExecution, 'endedAt'> & { readonly endedAt: string })[][] | null;
}

/**
 * Families all of whose members have ended and expired, oldest first, page by page: as long as one is open or kept, the
 * others are what its history may refer to.
 */
export async function* expiredFamilies(
  db: Pick<Pool, 'query'>,
  policy: RetentionPolicy,
): AsyncGenerator<ExpiredFamily, void> {
  const shortest = shortestHours(policy);
  if (shortest === undefined) return;
  const patterns = policy.rules.map(({ pattern }) => pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%'));
  const hours = policy.rules.map((rule) => rule.hours ?? null);
  let after: Page['last'] = { at: '-infinity', id: '0' };
  while (after) {
    const page: { rows: Page[] } = await db.query<Page>(FAMILIES, [
      patterns,
      hours,
      shortest,
      after.at,
      after.id,
    ]);
    for (const members of page.rows[0]?.families ?? [])
      yield members.map((one) => ({ ...one, endedAt: new Date(one.endedAt) }));
    after = page.rows[0]?.last ?? null;
  }
}

export interface Removed {
  readonly executions: number;
  readonly events: number;
  readonly notifications: number;
}

/** Deletes everything about executions but notifications that are still to be delivered. */
export async function removeExecutions(db: PoolClient, ids: readonly string[]): Promise<Removed> {
  const remove = async (table: string, more = ''): Promise<number> => {
    const text = `DELETE FROM noetl.${table} WHERE execution_id = ANY($1::bigint[])${more}`;
    return (await db.query(text, [ids])).rowCount ?? 0;
  };
  const events = await remove('canonical_event');
  await remove('event_row');
  await remove('transient');
  await remove('keyframe');
  await remove('keyframe_part');
  await remove('staged_verdict');
  const notifications = await remove('notification', ` AND status <> 'pending'`);
  await remove('sink_cursor');
  return { executions: await remove('execution'), events, notifications };
}

/** Deletes notifications of schedules, which belong to no execution. */
export async function removeOldNotices(db: Pick<Pool, 'query'>, hours: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM noetl.notification WHERE execution_id IS NULL AND status <> 'pending'
     AND created_at < now() - $1 * interval '1 hour'`,
    [hours],
  );
  return rowCount ?? 0;
}

/** The workflow of the execution that a workflow is part of: a chunk of a loop, a long task, or itself. */
export function executionWorkflow(workflowId: string): string {
  return /^noetl-[1-9]\d{0,18}(?=[:/]|$)/.exec(workflowId)?.[0] ?? workflowId;
}

/** Whether the tables have the execution of a workflow. */
export async function hasRow(db: Pick<Pool, 'query'>, workflowId: string): Promise<boolean> {
  const owner = executionWorkflow(workflowId);
  const id = /^noetl-(\d+)$/.exec(owner)?.[1];
  const { rows } = await db.query<{ present: boolean }>(
    `SELECT EXISTS (SELECT FROM noetl.execution WHERE workflow_id = $1 OR execution_id = $2::bigint) AS present`,
    [owner, id !== undefined && BigInt(id) < 2n ** 63n ? id : null],
  );
  return rows[0]?.present === true;
}
