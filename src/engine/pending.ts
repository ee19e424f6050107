/**
 * Tasks that run outside: most as activities of this run; those that may take long under a workflow of their own, which
 * outlives a continuation as new, so that nothing waits for them (D21).
 */
import { type TaskCall, taskTimeout } from '../plan';
import { LONG_TASK_S } from './limits';
import { type State } from './state';
import { SINCE } from './versions';

/** Does the call run under a workflow of its own? */
export function isLong(state: State, call: TaskCall): boolean {
  return state.engineVersion >= SINCE.longTasks && taskTimeout(call) > LONG_TASK_S;
}

/** Books a task that was asked for. */
export function book(state: State, taskRunId: string, frame: string, long: boolean): void {
  if (long) {
    state.longTasks[taskRunId] = frame;
    state.childCount++;
  } else {
    state.pending[taskRunId] = frame;
    state.pendingCount++;
  }
}

/** Takes a task out that settled; the frame that it is a task of, undefined when it is not under way. */
export function unbook(state: State, taskRunId: string): string | undefined {
  const long = Object.hasOwn(state.longTasks, taskRunId);
  const frame = long ? state.longTasks[taskRunId] : state.pending[taskRunId];
  if (frame === undefined) return undefined;
  if (long) {
    delete state.longTasks[taskRunId];
    state.childCount--;
  } else {
    delete state.pending[taskRunId];
    state.pendingCount--;
  }
  return frame;
}
