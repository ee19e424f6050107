/** Tasks of an execution that wait for workers which do not exist, or have died: nothing else would tell of them. */
import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import {
  EXECUTIONS,
  groupBy,
  KEYCHAIN_CHECKER,
  KEYCHAIN_KIND,
  PLAYBOOK_TASK_QUEUE,
  RESOLVE_ACTIVITY,
  taskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../language/plan';
import { describedIfThere } from '../client/described';
import { quotedQueryText } from '../client/visibility';
import { millisOf, type QueueSigns, type QueueType, signsOf } from './signs';

const { PendingActivityState, PendingWorkflowTaskState } = temporal.api.enums.v1;

/** A queue that nobody serves, and what waits in it. */
export interface UnservedQueue {
  readonly queue: string;
  /** `workflows` for the engine, `playbooks` for looking playbooks up, else the kind of its tasks. */
  readonly kind: string;
  /** Of workers; null for the default one. */
  readonly pool: string | null;
  /** Tasks of the execution, its loops and its sub-playbooks that wait in it, as far as was looked. */
  readonly waiting: number;
  /** RFC 3339: since when the oldest of them waits. */
  readonly since: string;
  /** RFC 3339: the last sign of life of a worker; null if there was none, as far as Temporal remembers. */
  readonly last_seen: string | null;
  /** A command that starts a worker for it; null if only another command could. */
  readonly fix: string | null;
  /** Ids of the tasks, of this execution itself. */
  readonly task_run_ids: readonly string[];
}

/** Milliseconds: a worker that serves the queue has taken a task by then, or is busy. */
const PATIENCE_MS = 3_000;
/** Workflows looked at for one execution: itself, parts of its loops, and sub-playbooks. */
const MOST_LOOKS = 20;

/** A task that no worker has taken. */
export interface Waiting {
  readonly queue: string;
  readonly type: QueueType;
  readonly kind: string;
  readonly since: number;
  readonly taskRunId?: string;
}

/**
 * @param workflowId of the execution
 * @param now milliseconds since the epoch
 * @returns most urgent first; empty if it has ended, or there is no such execution
 */
export async function unservedQueues(
  client: Client,
  workflowId: string,
  now: number = Date.now(),
): Promise<UnservedQueue[]> {
  const waiting = (await waitingTasks(client, workflowId)).filter(({ since }) => now - since >= PATIENCE_MS);
  const queues = groupBy(waiting, ({ queue, type }) => `${type} ${queue}`);
  const all = await Promise.all(
    [...queues.values()].map(async (tasks) => {
      const { queue: name, type } = tasks[0]!;
      const signs = await signsOf(client, { name, type }, now);
      return signs.isServed ? undefined : unserved(tasks, signs);
    }),
  );
  return all.filter((one) => one !== undefined).sort((a, b) => (a.since < b.since ? -1 : 1));
}

/**
 * What waits in the namespace, as far as is looked: of some queues nobody has heard, because no worker has ever served them.
 * Executions that wait stay, so they are among the running ones sooner or later.
 */
export async function waitingTasksOfAll(client: Client, now: number = Date.now()): Promise<Waiting[]> {
  const begun = quotedQueryText(new Date(now - PATIENCE_MS).toISOString());
  const query = `${EXECUTIONS} AND ExecutionStatus = 'Running' AND StartTime < ${begun}`;
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    pageSize: MOST_LOOKS,
    query,
  });
  const described = await Promise.all(
    executions.map(({ execution }) => describedIfThere(client, execution?.workflowId ?? '')),
  );
  return described
    .flatMap((one) => (one?.status.name === 'RUNNING' ? waitingIn(one, false) : []))
    .filter(({ since }) => now - since >= PATIENCE_MS);
}

/** What no worker has taken, of the execution and of what it waits for. */
async function waitingTasks(client: Client, workflowId: string): Promise<Waiting[]> {
  const tasks: Waiting[] = [];
  let looks = 0;
  for (let level = [workflowId]; level.length > 0 && looks < MOST_LOOKS;) {
    const some = level.slice(0, MOST_LOOKS - looks);
    looks += some.length;
    const described = await Promise.all(some.map((id) => describedIfThere(client, id)));
    const open = described.filter((one) => one?.status.name === 'RUNNING').map((one) => one!);
    for (const one of open) tasks.push(...waitingIn(one, one.workflowId === workflowId));
    level = open.flatMap(({ raw }) => (raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []));
  }
  return tasks;
}

function waitingIn({ raw }: WorkflowExecutionDescription, isItself: boolean): Waiting[] {
  const { pendingWorkflowTask: task, executionConfig } = raw;
  const own =
    task && Number(task.state) === PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED
      ? [
          {
            queue: executionConfig?.taskQueue?.name ?? WORKFLOW_TASK_QUEUE,
            type: 'workflow' as const,
            kind: 'workflows',
            since: millisOf(task.originalScheduledTime ?? task.scheduledTime),
          },
        ]
      : [];
  const tasks = (raw.pendingActivities ?? [])
    .filter((one) => Number(one.state) === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED)
    .map((one): Waiting => {
      const kind = kindOf(one.activityType?.name ?? '');
      return {
        // Servers before 1.27 do not say the queue.
        queue: one.activityOptions?.taskQueue?.name || taskQueue(kind),
        type: 'activity',
        kind,
        // A retry waits from its time on.
        since: Math.max(millisOf(one.scheduledTime), millisOf(one.nextAttemptScheduleTime)),
        ...(isItself && { taskRunId: one.activityId ?? '' }),
      };
    });
  return [...own, ...tasks];
}

function kindOf(activityType: string): string {
  if (activityType === RESOLVE_ACTIVITY) return 'playbooks';
  return activityType === KEYCHAIN_KIND ? KEYCHAIN_CHECKER : activityType;
}

function unserved(tasks: readonly Waiting[], { name, seenAt }: QueueSigns): UnservedQueue {
  const { kind } = tasks[0]!;
  const pool = poolOf(name, kind);
  return {
    queue: name,
    kind,
    pool,
    waiting: tasks.length,
    since: new Date(Math.min(...tasks.map(({ since }) => since))).toISOString(),
    last_seen: seenAt === undefined ? null : new Date(seenAt).toISOString(),
    fix: fixOf(name, kind, pool),
    task_run_ids: tasks.flatMap(({ taskRunId }) => taskRunId ?? []),
  };
}

/** @example poolOf('noetl-gpu-python', 'python') // 'gpu' */
export function poolOf(queue: string, kind: string): string | null {
  const [start, end] = ['noetl-', `-${kind}`];
  const isOfPool =
    queue.startsWith(start) && queue.endsWith(end) && queue.length > start.length + end.length - 1;
  return isOfPool ? queue.slice(start.length, -end.length) : null;
}

/** Null for the queue of a command `run`, which alone serves it. */
function fixOf(queue: string, kind: string, pool: string | null): string | null {
  if (kind === 'workflows') return 'noetl-temporal worker --workflows';
  if (kind === 'playbooks') return queue === PLAYBOOK_TASK_QUEUE ? 'noetl-temporal worker --workflows' : null;
  return `noetl-temporal worker --kinds ${kind}${pool === null ? '' : ` --pool ${pool}`}`;
}
