/** Stuck executions: open, but nothing works on them and they wait for nothing that is expected. */
import { type Client } from '@temporalio/client';
import { hasCode } from '../../../language/errors';
import { eventMillis } from '../../../history';
import { inParallel } from '../../../language/plan/in-parallel';
import {
  eachVisible,
  EXECUTIONS,
  executionIdIn,
  quotedQueryText,
  type VisibleExecution,
} from '../../../temporal/client';
import { type Readings } from '../reading/readings';
import { type StuckFacts } from './stuck-facts';

export interface Stuck {
  readonly execution_id: string;
  /** Where it is stuck. */
  readonly why: string;
  /** Milliseconds since the epoch: its last activity. */
  readonly since: number;
}

/** Concurrent reads; each reads a history. */
const CONCURRENCY = 4;

/** @param before milliseconds since the epoch: only executions without activity since then */
export async function stuckExecutions(
  client: Client,
  readings: Readings,
  before: number,
): Promise<readonly Stuck[]> {
  const query = [
    EXECUTIONS,
    `ExecutionStatus = 'Running'`,
    `StartTime <= ${quotedQueryText(new Date(before).toISOString())}`,
  ].join(' AND ');
  const open: VisibleExecution[] = [];
  for await (const info of eachVisible(client, query)) open.push(info);
  const looks = await inParallel(CONCURRENCY, open, (info) => stuckness({ client, readings }, info, before));
  return looks.filter((one) => one !== undefined);
}

async function stuckness(
  { client, readings }: { client: Client; readings: Readings },
  info: VisibleExecution,
  before: number,
): Promise<Stuck | undefined> {
  const id = executionIdIn(info);
  if (id === undefined) return undefined;
  const read: StuckFacts | undefined = await readings.whole('stuck', { id, about: {} }).catch(unbegun);
  if (read && (read.isOver || read.now > before || read.waitsOnPurpose)) return undefined;
  const work = await workOf(client, info.workflowId, before);
  if (work.isAlive) return undefined;
  return { execution_id: id, why: work.why, since: read?.now || info.startTime.getTime() };
}

/** No worker has ever started it: its history has no events of ours. */
function unbegun(error: unknown): undefined {
  if (hasCode(error, 'HISTORY')) return undefined;
  throw error;
}

/** Whether a worker sent a heartbeat for one of its tasks. */
async function workOf(
  client: Client,
  workflowId: string,
  before: number,
): Promise<{ isAlive: boolean; why: string }> {
  const { raw, status } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') return { isAlive: true, why: '' };
  const tasks = raw.pendingActivities ?? [];
  const signs = tasks.map(({ lastHeartbeatTime, lastStartedTime }) =>
    Math.max(eventMillis(lastHeartbeatTime), eventMillis(lastStartedTime)),
  );
  if (signs.some((sign) => sign > before)) return { isAlive: true, why: '' };
  const [task] = tasks;
  if (task) return { isAlive: false, why: `no heartbeat from task ${task.activityId}` };
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  return {
    isAlive: false,
    why: attempt > 1 ? `its workflow task failed ${attempt - 1} times` : 'no workflow worker picks it up',
  };
}
