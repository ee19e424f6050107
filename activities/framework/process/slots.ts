/** How many tasks that run processes of their own one worker takes at once: the others stay in their queue. */
import os from 'node:os';

/** Interpreters are busy with some tasks, and wait with others for what these call. */
export const TASKS_PER_PROCESSOR = 4;

/** Processors that this process may use. */
export function processors(): number {
  return Math.max(1, os.availableParallelism());
}

/** Tasks at once of one kind that runs processes. */
export function processSlots(): number {
  return TASKS_PER_PROCESSOR * processors();
}
