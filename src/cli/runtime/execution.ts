/** One execution, from its start to its outcome. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { type Progress } from '../../engine/machine/control/progress';
import { type StartedExecution, troubleOf, type WorkflowTaskTrouble } from '../../temporal/client';
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
  onTrouble: (trouble: WorkflowTaskTrouble) => void = () => undefined,
): Promise<ExecutionEnding> {
  let over = false;
  const ending = execution.handle
    .result()
    .then(completed, (error: unknown) => failedOrCancelled(error, file))
    .finally(() => (over = true));
  ending.catch(() => undefined);
  let last: Progress | undefined;
  let lastCode: string | undefined;
  while (!over) {
    await Promise.race([ending.catch(() => undefined), sleep(POLL_MS)]);
    const progress = over ? undefined : await askProgress(execution.handle, client);
    if (progress && !over) onProgress((last = progress));
    else if (!over) {
      const trouble = await troubleOf(client, execution.handle.workflowId).catch(() => undefined);
      if (trouble && trouble.code !== lastCode) onTrouble(trouble);
      lastCode = trouble?.code;
    }
  }
  const end = await ending;
  if (end.steps_executed.length > 0 || end.status === 'completed') return end;
  // A workflow terminated by Temporal or an operator reports nothing itself.
  const latest = (await askProgress(execution.handle, client)) ?? last;
  return { ...end, steps_executed: latest?.steps_executed ?? [] };
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
