/**
 * Hard limits of the engine, whatever a playbook requests. Counted rather than timed, so that replay reproduces them.
 */

/** Maximum number of pending activities per workflow: Temporal fails the workflow task at 2,000. */
export const MAX_PENDING_TASKS = 1500;

/**
 * Seconds: tasks with a longer timeout run in their own workflow, since continue-as-new would have to wait for them.
 */
export const LONG_TASK_S = 600;

/**
 * Micro-steps in one batch before the rest is deferred by a zero timer, so that Temporal's deadlock detector never
 * fires.
 */
export const BATCH_BUDGET = 5000;
