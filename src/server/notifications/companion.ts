/** Enters the news of a batch of events into the outbox, in the transaction that writes the events. */
import {
  compact,
  executionIdOf,
  type InstallationTargets,
  isMapping,
  type NotificationTarget,
  notificationTargets,
} from '../../language/plan';
import { deadlineAt } from '../../history';
import { type EventBatch, type Companion, jsonText } from '../projection';
import { type Addresses, linksOf, type MessageData } from './message';
import { newsIn, type News } from './news';
import { enterOutbox, type Queryable } from './outbox';
import { tellTriggers } from './triggers';

/** Settings of an installation. */
export interface Settings extends Addresses, InstallationTargets {}

/** What the tables know of an execution. */
interface ExecutionRow {
  readonly parent_execution_id: string | null;
  readonly start_time: Date | null;
  readonly end_time: Date | null;
  readonly deadline_at: Date | null;
}

const UNKNOWN: ExecutionRow = {
  parent_execution_id: null,
  start_time: null,
  end_time: null,
  deadline_at: null,
};

/** To be passed to the projection's sink. */
export function notifying(settings: Settings): Companion {
  return async (db, batch) => {
    const events = batch.events.map(({ event }) => event);
    const requested = events.find(({ event_type: type }) => type === 'playbook.execution.requested');
    if (requested) await noteDeadline(db, batch, { settings, startedAt: Date.parse(requested.timestamp) });
    const news = newsIn(events);
    if (news.length === 0) return;
    const row = await rowOf(db, batch);
    for (const one of news) await tell(db, batch, { one, row, settings });
  };
}

async function rowOf(db: Queryable, { execution }: EventBatch): Promise<ExecutionRow> {
  const { rows } = await db.query<ExecutionRow>(
    'SELECT parent_execution_id, start_time, end_time, deadline_at FROM noetl.execution WHERE execution_id = $1',
    [execution.executionId],
  );
  return rows[0] ?? UNKNOWN;
}

async function tell(
  db: Queryable,
  batch: EventBatch,
  { one, row, settings }: { one: News; row: ExecutionRow; settings: Settings },
): Promise<void> {
  const targets = targetsFor(
    one.cause,
    batch,
    row.parent_execution_id === null ? settings : authorsOnly(settings),
  );
  const data: MessageData = { cause: one.cause, ...identity(batch, settings), ...times(row), ...one.about };
  const key = `execution/${batch.execution.executionId}/${one.cause}/${one.subject}`;
  const message = { type: `execution.${one.cause}`, timestamp: one.at, data };
  await tellTriggers(db, batch, key, message);
  if (targets.length === 0) return;
  await enterOutbox(db, {
    key,
    message: { ...message, ...compact({ asks: one.asks }) },
    targets,
    root: rootOf(batch),
    since: 'outbox',
  });
}

function targetsFor(
  cause: News['cause'],
  { plan, origin }: EventBatch,
  settings: Settings,
): readonly NotificationTarget[] {
  return notificationTargets(cause, [plan.on, origin.schedule?.on], settings);
}

/** A called execution is told of by its caller's, unless its own playbook says otherwise. */
function authorsOnly({ on: _, ...settings }: Settings): Settings {
  return settings;
}

function rootOf({ origin }: EventBatch): string | undefined {
  return executionIdOf(origin.rootWorkflowId);
}

/** What stays the same throughout an execution. */
export type NotifiedIdentity = Pick<
  MessageData,
  'execution_id' | 'workflow_id' | 'namespace' | 'path' | 'version' | 'schedule' | 'links'
>;

function identity({ execution, plan, origin }: EventBatch, settings: Settings): NotifiedIdentity {
  const { executionId, workflowId, namespace } = execution;
  const { path, version } = plan.metadata;
  const ids = { execution_id: executionId, workflow_id: workflowId, namespace };
  const { schedule } = origin;
  return {
    ...ids,
    path,
    ...compact({
      version,
      schedule: schedule && { name: schedule.schedule, scheduled_at: schedule.scheduled_at },
      links: linksOf(settings, ids),
    }),
  };
}

function times({ start_time, end_time, deadline_at }: ExecutionRow): Partial<MessageData> {
  return compact({
    started_at: start_time?.toISOString(),
    ended_at: end_time?.toISOString(),
    deadline_at: deadline_at?.toISOString(),
    duration_s: start_time && end_time ? (end_time.getTime() - start_time.getTime()) / 1000 : undefined,
  });
}

/** What is told when an execution turns out to be late, which no event says. */
export interface Lateness {
  readonly targets: readonly NotificationTarget[];
  readonly identity: NotifiedIdentity;
  readonly root?: string;
}

async function noteDeadline(
  db: Queryable,
  batch: EventBatch,
  { settings, startedAt }: { settings: Settings; startedAt: number },
): Promise<void> {
  const { plan, origin, execution, events } = batch;
  const deadline = deadlineAt(startedAt, plan, origin);
  if (deadline === undefined) return;
  const called = events.some(
    ({ event }) => event.event_type === 'playbook.execution.requested' && isMapping(event.payload['caller']),
  );
  const lateness: Lateness = {
    targets: targetsFor('late', batch, called ? authorsOnly(settings) : settings),
    identity: identity(batch, settings),
    ...compact({ root: rootOf(batch) }),
  };
  await db.query(
    `UPDATE noetl.execution SET deadline_at = to_timestamp($2::double precision / 1000), lateness = $3
     WHERE execution_id = $1`,
    [execution.executionId, deadline, jsonText(lateness)],
  );
}
