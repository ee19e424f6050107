/** Stops what a task waits for: its activity, its sub-playbook, its wait. */
import { type Context } from '../batch';
import { stopChild } from './child';
import { isEmpty } from '../state';
import { stopWait } from './wait';

/** Returns false when nothing is under way for that task run. */
export function interruptTask(context: Context, taskRunId: string, reason: string | null): boolean {
  const { state } = context;
  if (state.pending.has(taskRunId) || state.longTasks.has(taskRunId)) {
    context.cancelTask(taskRunId);
    return true;
  }
  return stopWait(context, taskRunId) || stopChild(context, taskRunId, reason);
}

/** Everything under way is stopped: the execution fails or was cancelled. */
export function interruptAll(context: Context, reason: string | null): void {
  const { state } = context;
  for (const chunk of Object.values(state.chunks)) {
    if (chunk.state === 'running') context.cancelChunk(chunk);
    else delete state.chunks[chunk.id];
  }
  const pending = [...state.pending.keys()];
  const children = Object.values(state.children).map((child) => child.taskRunId);
  const others = [...state.longTasks.keys(), ...Object.keys(state.waits)];
  for (const taskRunId of [...pending, ...others, ...children]) {
    interruptTask(context, taskRunId, reason);
  }
}

/** Is anything under way that has to settle before the execution may end? */
export function isAnythingUnderWay(context: Context): boolean {
  const { state } = context;
  return (
    state.pendingCount > 0 ||
    state.longTasks.size > 0 ||
    [state.children, state.waits, state.chunks].some((record) => !isEmpty(record))
  );
}
