/**
 * Tasks that run outside: most as activities of this run; those that may take long under a workflow of their own, which
 * outlives a continuation as new, so that nothing waits for them (D21).
 */
import { type TaskCall, taskTimeout } from '../../plan';
import { LONG_TASK_S } from './limits';
import { type LiveState } from '../state';

/** Does the call run under a workflow of its own? */
export function isLong(call: TaskCall): boolean {
  return taskTimeout(call) > LONG_TASK_S;
}

/** Books a task that was asked for. */
export function book(state: LiveState, taskRunId: string, frame: string, long: boolean): void {
  if (long) {
    state.longTasks.set(taskRunId, frame);
    state.childCount++;
  } else {
    state.pending.set(taskRunId, frame);
    state.pendingCount++;
  }
}

/** Takes a task out that settled; the frame that it is a task of, undefined when it is not under way. */
export function unbook(state: LiveState, taskRunId: string): string | undefined {
  const frame = state.pending.get(taskRunId);
  if (frame !== undefined) {
    state.pending.delete(taskRunId);
    state.pendingCount--;
    return frame;
  }
  const long = state.longTasks.get(taskRunId);
  if (state.longTasks.delete(taskRunId)) state.childCount--;
  return long;
}
