/**
 * Tasks that run outside: most as activities of this run; those that may take long under a workflow of their own, which
 * outlives a continuation as new, so that nothing waits for them.
 */
import { type TaskCall, taskTimeout } from '../../plan';
import { LONG_TASK_S, MAX_PENDING_TASKS } from './limits';
import { type LiveState } from '../state';

/** Does the call run under a workflow of its own? */
export function isLong(call: TaskCall): boolean {
  return taskTimeout(call) > LONG_TASK_S;
}

/** Books a task that was asked for. */
export function book(state: LiveState, taskRunId: string, frame: string, long: boolean): void {
  (long ? state.longTasks : state.pending).set(taskRunId, frame);
}

/** Takes a task out that settled; the frame that it is a task of, undefined when it is not under way. */
export function unbook(state: LiveState, taskRunId: string): string | undefined {
  return state.pending.take(taskRunId) ?? state.longTasks.take(taskRunId);
}

/** How many tasks more may be under way. */
export function freePlaces({ pending, longTasks, children }: LiveState): number {
  return MAX_PENDING_TASKS - pending.size - longTasks.size - children.size;
}
