/** What the engine never exceeds, whatever a playbook asks. Counted, not timed: replay repeats it. */

/** More activities than this are never pending in one workflow: Temporal fails the workflow task at 2,000. */
export const MAX_PENDING_TASKS = 1500;

/** Seconds: tasks that may run longer outlive a continuation as new, which would have to wait for them. */
export const LONG_TASK_S = 600;

/** Micro-steps in one batch before the rest goes on after a zero timer, so that Temporal's deadlock detector never fires. */
export const BATCH_BUDGET = 5000;
