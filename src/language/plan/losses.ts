/**
 * How often an activity may run because workers were lost (docs/design/delivery.md#lost-workers). The workflow gives
 * Temporal the sum; the workers, who read in the last heartbeat what an execution came to, keep the two apart.
 */

/** Executions of a task that begin: one that kills its worker must not take down the whole pool. */
export const MAX_BEGUN = 5;

/** Further executions that do not count: their workers were lost before the task began, or stopped in order. */
export const MAX_FREE = 10;

/** Where an execution of an activity stands, in its heartbeats; absent: it began. */
export type TaskStanding =
  /** It waits for an interpreter or another local resource; nothing of the task has happened. */
  | 'waiting'
  /** Its worker stopped it in order to shut down. */
  | 'stopped';
