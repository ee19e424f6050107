/** Notices what is late before it ends: open executions after their deadline, and schedules that start nothing. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type Pool } from 'pg';
import { targetsOf } from '../plan';
import { transaction } from '../postgres';
import { schedulesDue, type ScheduleDue } from '../temporal';
import { type Lateness, type Settings } from './companion';
import { type MessageData } from './message';
import { enter } from './outbox';

/** Executions looked at in one round. */
const AT_ONCE = 100;
/** A start is due at once; a busy cluster takes a moment. Seconds. */
const START_GRACE_S = 120;

interface LateOptions {
  readonly pool: Pool;
  readonly client: Client;
  readonly settings: Settings;
}

interface LateRow {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly lateness: Lateness;
  readonly deadline_at: Date;
  readonly start_time: Date | null;
  readonly status: string;
  readonly last_node_name: string | null;
}

/** Marks open executions that have passed their deadline, and enters the news. @returns how many there are more */
export async function noteLateExecutions({ pool, client }: LateOptions): Promise<number> {
  const { rows } = await pool.query<LateRow>(
    `SELECT execution_id, workflow_id, lateness, deadline_at, start_time, lower(status) AS status, last_node_name
     FROM noetl.execution WHERE end_time IS NULL AND late_at IS NULL AND deadline_at <= now()
     ORDER BY deadline_at LIMIT ${AT_ONCE}`,
  );
  let noted = 0;
  for (const row of rows) {
    // Its end may not be in the tables yet.
    if (!(await isOpen(client, row.workflow_id))) continue;
    if (await transaction(pool, (db) => note(db, row))) noted += 1;
  }
  return noted;
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function note(db: Parameters<typeof enter>[0], row: LateRow): Promise<boolean> {
  const { execution_id, lateness, deadline_at, start_time, status, last_node_name } = row;
  const { rowCount } = await db.query(
    'UPDATE noetl.execution SET late_at = now() WHERE execution_id = $1 AND late_at IS NULL AND end_time IS NULL',
    [execution_id],
  );
  if (rowCount === 0) return false;
  const data: MessageData = {
    cause: 'late',
    ...lateness.identity,
    status,
    ...(last_node_name && { step: last_node_name }),
    ...(start_time && { started_at: start_time.toISOString() }),
    deadline_at: deadline_at.toISOString(),
  };
  await enter(db, {
    key: `execution/${execution_id}/late`,
    message: { type: 'execution.late', timestamp: new Date().toISOString(), data },
    targets: lateness.targets,
    root: lateness.root,
  });
  return true;
}

/** Enters the schedules whose start is overdue. @param now milliseconds since the epoch @returns how many there are more */
export async function noteLateSchedules(options: LateOptions, now: number): Promise<number> {
  const { pool, client } = options;
  let noted = 0;
  for (const [name, one] of await schedulesDue(client, now)) {
    if (one.due === undefined || now - one.due.getTime() < START_GRACE_S * 1000) continue;
    noted += await enter(pool, entryOf(name, one, { ...options, due: one.due.toISOString() }));
  }
  return noted;
}

function entryOf(
  name: string,
  { path, on }: ScheduleDue,
  { client, settings, due }: LateOptions & { readonly due: string },
): Parameters<typeof enter>[1] {
  const data: MessageData = {
    cause: 'late',
    namespace: client.options.namespace,
    path,
    status: 'not_started',
    schedule: { name, scheduled_at: due },
  };
  return {
    key: `schedule/${name}/${due}/late`,
    message: { type: 'schedule.late', timestamp: new Date().toISOString(), data },
    targets: targetsOf('late', [on], settings),
  };
}
