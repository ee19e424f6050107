/** Whatever an operator, a client or a crash may do to a running execution: for tests on a real server. */
import { type Client, type Connection, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { nextRandom, type Seed } from '../../src/engine/machine/state/random';
import { isTransient, WORKFLOW_TASK_QUEUE } from '../../src/temporal/client';

/** What can be done to an execution while it runs. */
type Deed = (handle: WorkflowHandle, client: Client, seed: Seed) => Promise<unknown>;

const event = (): { name: string; payload: number } => ({ name: 'go', payload: 1 });

/** By name, so that a failure says what had been done. */
const DEEDS: Readonly<Record<string, Deed>> = {
  pause: async (handle) => {
    await handle.signal('pause', { reason: 'a look' });
    await pause(60);
    await handle.signal('resume');
  },
  signal: (handle) => handle.signal('event', { ...event(), id: 'once' }),
  nonsense: (handle) => handle.signal('event', { name: 5 }),
  update: (handle) => handle.executeUpdate('sendEvent', { args: [event()] }),
  set: (handle) => handle.executeUpdate('setVariables', { args: [{ given: { by: 'hand' }, gone: 1 }] }),
  delete: (handle) => handle.executeUpdate('deleteVariables', { args: [['gone']] }),
  refused: (handle) => handle.executeUpdate('setVariables', { args: [7] }),
  reset,
  cancel: (handle) => handle.signal('cancel', { reason: 'enough' }),
  cancelByTemporal: (handle) => handle.cancel(),
  terminate: (handle) => handle.terminate('by hand'),
};
/** What ends a run is rarer. */
const DRAWN = [...Object.keys(DEEDS), ...Object.keys(DEEDS).slice(0, -3), 'reset', 'signal', 'update'];

/** Does something or other to the run, a few times; the names of what was done. */
export async function meddle(client: Client, workflowId: string, seed: Seed): Promise<string[]> {
  const done: string[] = [];
  for (let times = Math.floor(nextRandom(seed) * 5); times > 0; times--) {
    await pause(nextRandom(seed) * 250);
    const name = DRAWN[Math.floor(nextRandom(seed) * DRAWN.length)]!;
    done.push(name);
    await DEEDS[name]!(client.workflow.getHandle(workflowId), client, seed).catch(asOver);
  }
  return done;
}

/** A run that is over cannot be meddled with any more, and one that is not lets itself refuse. */
function asOver(error: unknown): void {
  const { name, code, message } = error as { name?: string; code?: number; message?: string };
  if (error instanceof WorkflowNotFoundError || code === 5 || code === 3) return;
  if (name === 'WorkflowUpdateFailedError' || name === 'WorkflowUpdateRPCTimeoutOrCancelledError') return;
  if (/already completed|is over|not found/i.test(message ?? '')) return;
  throw error as Error;
}

/** Back to any workflow task that was completed. */
async function reset(handle: WorkflowHandle, client: Client, seed: Seed): Promise<void> {
  const { runId } = await handle.describe();
  const { events } = await client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((one) => one.workflowTaskCompletedEventAttributes);
  const chosen = tasks[Math.floor(nextRandom(seed) * tasks.length)];
  if (!chosen) return;
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId },
    workflowTaskFinishEventId: chosen.eventId,
    reason: 'again',
    requestId: `reset-${handle.workflowId}-${Math.floor(nextRandom(seed) * 1e9)}`,
  });
}

/** The server refuses to hold a poll for less than two seconds. */
const POLL_MS = 2500;

/** While no worker runs: takes the next workflow task, if there is one, and fails it as a worker with a bug would. */
export async function failWorkflowTask(connection: Connection, namespace: string): Promise<boolean> {
  const identity = 'a worker with a bug';
  const { taskToken } = await connection
    .withDeadline(Date.now() + POLL_MS, () =>
      connection.workflowService.pollWorkflowTaskQueue({
        namespace,
        taskQueue: { name: WORKFLOW_TASK_QUEUE },
        identity,
      }),
    )
    .catch((error: unknown) => {
      if (isTransient(error)) return { taskToken: undefined };
      throw error;
    });
  if (!taskToken?.length) return false;
  const failing = connection.workflowService.respondWorkflowTaskFailed({
    namespace,
    taskToken,
    identity,
    cause:
      temporal.api.enums.v1.WorkflowTaskFailedCause
        .WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
    failure: { message: 'a bug' },
  });
  // A run may be over by then, or the task is a query's.
  return await failing.then(
    () => true,
    () => false,
  );
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
