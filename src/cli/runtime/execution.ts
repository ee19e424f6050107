/** One execution, from its start to its outcome. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { type Progress } from '../../engine/machine/control/progress';
import { type StartedExecution } from '../../temporal/client';
import { completed, type ExecutionEnding, failedOrCancelled } from '../../api/ending';
import { type ResultDocument } from '../output/result-document';

const POLL_MS = 200;
const QUERY_LIMIT_MS = 5_000;

/** Queries the workflow's progress until the result is available, or the worker or server is gone. */
export async function watchExecution(
  execution: StartedExecution,
  client: Client,
  onProgress: (progress: Progress) => void,
  file: string,
  onStuck: (why: string) => void = () => undefined,
): Promise<ExecutionEnding> {
  let over = false;
  const ending = execution.handle
    .result()
    .then(completed, (error: unknown) => failedOrCancelled(error, file))
    .finally(() => (over = true));
  ending.catch(() => undefined);
  let last: Progress | undefined;
  const stuck = new StuckWatch(execution, onStuck);
  while (!over) {
    await Promise.race([ending.catch(() => undefined), sleep(POLL_MS)]);
    const progress = over ? undefined : await askProgress(execution.handle, client);
    if (progress && !over) onProgress((last = progress));
    else if (!over) await stuck.look().catch(() => undefined);
  }
  const end = await ending;
  if (end.steps_executed.length > 0 || end.status === 'completed') return end;
  // A workflow terminated by Temporal or an operator reports nothing itself.
  const latest = (await askProgress(execution.handle, client)) ?? last;
  return { ...end, steps_executed: latest?.steps_executed ?? [] };
}

/** Reports why an unresponsive workflow is stuck: Temporal retries its task until the cause is fixed. */
class StuckWatch {
  private lastReason = '';

  constructor(
    private readonly execution: StartedExecution,
    private readonly tell: (why: string) => void,
  ) {}

  async look(): Promise<void> {
    const { raw } = await this.execution.handle.describe();
    if ((raw.pendingWorkflowTask?.attempt ?? 1) < 2) return;
    const { events } = await this.execution.handle.fetchHistory();
    const failed = events?.findLast((event) => event.workflowTaskFailedEventAttributes);
    const why = failed?.workflowTaskFailedEventAttributes?.failure?.message ?? '';
    if (why === '' || why === this.lastReason) return;
    this.lastReason = why;
    this.tell(why);
  }
}

/** Undefined if the worker is too busy to respond; retried at the next poll. */
async function askProgress(handle: WorkflowHandle, client: Client): Promise<Progress | undefined> {
  try {
    return await client.withDeadline(Date.now() + QUERY_LIMIT_MS, () => handle.query<Progress>('progress'));
  } catch {
    return undefined;
  }
}

/** The document of `run --json`. Times are the server's. */
export async function documentOf(
  execution: StartedExecution,
  ending: ExecutionEnding,
): Promise<ResultDocument> {
  const { startTime, closeTime } = await execution.handle.describe();
  return {
    execution_id: execution.id,
    workflow_id: execution.handle.workflowId,
    ...ending,
    started_at: startTime.toISOString(),
    finished_at: closeTime?.toISOString() ?? null,
  };
}

/** Saves the history in the format of `temporal workflow show --output json`. */
export async function saveHistory(handle: WorkflowHandle, file: string): Promise<void> {
  const history = await handle.fetchHistory();
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  fs.writeFileSync(file, `${historyToJSON(history)}\n`);
}
