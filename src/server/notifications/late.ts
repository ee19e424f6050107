/** Notices what is late before it ends: open executions after their deadline, and schedules that start nothing. */
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { hasCode } from '../../language/errors';
import { type Notifications, notificationTargets } from '../../language/plan';
import { transaction } from '../../storage/postgres';
import {
  describedIfThere,
  failedStarts,
  scheduledInputOf,
  schedulesDue,
  startErrorOf,
} from '../../temporal/client';
import { type Lateness, type Settings } from './companion';
import { type MessageData } from './message';
import { enterOutbox } from './outbox';

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
  return (await describedIfThere(client, workflowId))?.status.name === 'RUNNING';
}

async function note(db: Parameters<typeof enterOutbox>[0], row: LateRow): Promise<boolean> {
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
  await enterOutbox(db, {
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
    // What it tells may have been changed since it was made; one that was deleted meanwhile is as it was.
    const about = (await inputOf(client, name)) ?? one;
    noted += await enterOutbox(pool, entryOf(name, about, { ...options, due: one.due.toISOString() }));
  }
  return noted;
}

/** Undefined: it was deleted meanwhile. @throws if Temporal does not answer: what it tells whom is not known then */
async function inputOf(client: Client, name: string): Promise<About | undefined> {
  return await scheduledInputOf(client, name).catch((error: unknown) => {
    if (hasCode(error, 'SCHEDULE_NOT_FOUND')) return undefined;
    throw error;
  });
}

interface About {
  readonly path: string;
  readonly on?: Notifications;
}

function entryOf(
  name: string,
  { path, on }: About,
  { client, settings, due }: LateOptions & { readonly due: string },
): Parameters<typeof enterOutbox>[1] {
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
    targets: notificationTargets('late', [on], settings),
  };
}

/** Failed starts that one round looks back for: a projection that was away tells them when it is back. */
const FAILED_SINCE_MS = 86_400_000;
const MOST_FAILED = 200;

/**
 * Enters the starts of schedules that failed before there was an execution, which would tell of itself.
 *
 * @param now milliseconds since the epoch
 * @returns how many there are more
 */
export async function noteFailedStarts(options: LateOptions, now: number): Promise<number> {
  const { pool, client, settings } = options;
  const inputs = new Map<string, About | undefined>();
  let noted = 0;
  const starts = await failedStarts(client, now - FAILED_SINCE_MS, MOST_FAILED);
  for (const { schedule: name, run, scheduledAt, endedAt } of starts) {
    if (!inputs.has(name)) inputs.set(name, await inputOf(client, name));
    const input = inputs.get(name);
    const targets = notificationTargets('failed', [input?.on], settings);
    if (targets.length === 0 || (await isEntered(pool, name, endedAt))) continue;
    const data: MessageData = {
      cause: 'failed',
      namespace: client.options.namespace,
      path: input?.path ?? '',
      status: 'not_started',
      error: await startErrorOf(client, run),
      schedule: { name, scheduled_at: scheduledAt },
    };
    noted += await enterOutbox(pool, {
      key: `schedule/${name}/${run.workflowId}/${run.runId}/failed`,
      message: { type: 'schedule.failed', timestamp: endedAt.toISOString(), data },
      targets,
      since: 'outbox',
    });
  }
  return noted;
}

/** The time of its end tells it apart; what is entered twice all the same is not told twice. */
async function isEntered(pool: Pool, schedule: string, endedAt: Date): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT 1 FROM noetl.notification WHERE cause = 'failed' AND schedule = $1 AND occurred_at = $2 LIMIT 1`,
    [schedule, endedAt.toISOString()],
  );
  return rows.length > 0;
}
