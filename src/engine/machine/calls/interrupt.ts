/** Stops whatever a task is waiting for: its activity, its sub-playbook or its wait. */
import { type Context } from '../batch';
import { stopChild } from './child';
import { isEmpty } from '../state';
import { stopWait } from './wait';

/** Returns false when nothing is pending for that task run. */
export function interruptTask(context: Context, taskRunId: string, reason: string | null): boolean {
  const { state } = context;
  if (state.pending.has(taskRunId) || state.longTasks.has(taskRunId)) {
    context.cancelTask(taskRunId);
    return true;
  }
  return stopWait(context, taskRunId) || stopChild(context, taskRunId, reason);
}

/** Stops everything in flight: the execution failed or was cancelled. */
export function interruptAll(context: Context, reason: string | null): void {
  const { state } = context;
  const settled = new Set(
    state.work.toList().flatMap((work) => (work.op === 'chunkSettled' ? [work.ref] : [])),
  );
  for (const chunk of Object.values(state.chunks)) {
    if (chunk.state !== 'running') delete state.chunks[chunk.id];
    else if (!settled.has(chunk.ref)) context.cancelChunk(chunk);
  }
  const children = [...state.children.values()].map((child) => child.taskRunId);
  const ids = [...state.pending.keys(), ...state.longTasks.keys(), ...state.waits.keys(), ...children];
  for (const id of ids) {
    interruptTask(context, id, reason);
  }
}

/** Whether anything has to settle before the execution may end. */
export function isAnythingUnderWay({ state }: Context): boolean {
  const { pending, longTasks, children, waits, chunks } = state;
  return pending.size + longTasks.size + children.size + waits.size > 0 || !isEmpty(chunks);
}
