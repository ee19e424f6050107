/**
 * Tasks that run outside the engine: most as activities of this run; those that may take long run in their own
 * workflow, which survives continue-as-new, so that nothing has to wait for them.
 */
import { type JsonObject, type TaskCall, taskTimeout } from '../../../language/plan';
import { LONG_TASK_S, MAX_CALLS, MAX_PENDING_TASKS, SHARED_CALLS } from './bounds';
import { type LiveState } from '../state';

/** Whether the call runs in its own workflow. */
export function isLong(call: TaskCall): boolean {
  return taskTimeout(call) > LONG_TASK_S;
}

/** A call that the engine makes for itself: of no task, with a kind of its own. @param id the activity id */
export function ownCall({ executionId }: LiveState, id: string, kind: string, config: JsonObject): TaskCall {
  return {
    execution_id: executionId,
    task_run_id: id,
    step: kind,
    task: kind,
    attempt: 1,
    kind,
    idempotency_key: `${executionId}/${id}`,
    input: {},
    config,
    timeout: {},
    options: {},
  };
}

/** Registers a scheduled task. */
export function book(state: LiveState, taskRunId: string, frame: string, long: boolean): void {
  (long ? state.longTasks : state.pending).set(taskRunId, frame);
}

/** Removes a settled task; returns its frame, or undefined if the task is not pending. */
export function unbook(state: LiveState, taskRunId: string): string | undefined {
  return state.pending.take(taskRunId) ?? state.longTasks.take(taskRunId);
}

/** How many more tasks may be pending. */
export function freePlaces({ pending, longTasks, children }: LiveState): number {
  return MAX_PENDING_TASKS - pending.size - longTasks.size - children.size;
}

/** How many more sub-playbooks may be in progress. */
export function freeCalls({ children, caller }: LiveState): number {
  const { depth = 0, calls = Infinity } = caller ?? {};
  return Math.min(MAX_CALLS[Math.min(depth, MAX_CALLS.length - 1)]!, calls) - children.size;
}

/** How many calls the next sub-playbook may have in progress: the more there are already, the fewer; at least one. */
export function callsOfNext(state: LiveState): number {
  const own = state.caller ? freeCalls(state) + state.children.size : SHARED_CALLS;
  return Math.max(1, Math.floor(own / (state.children.size + 1)));
}
