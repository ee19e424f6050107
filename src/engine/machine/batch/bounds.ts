/**
 * Hard limits of the engine, whatever a playbook requests. Counted rather than timed, so that replay reproduces them.
 */

/** Maximum number of pending activities per workflow: Temporal fails the workflow task at 2,000. */
export const MAX_PENDING_TASKS = 1500;

/**
 * Sub-playbooks in progress at once, by the depth at which the execution itself was called: those that call themselves
 * would multiply with every level, each of them before anybody can count them.
 */
export const MAX_CALLS = [MAX_PENDING_TASKS, 16, 4, 2] as const;
/** Those of all that a top-level execution has called, as long as each may have one. */
export const SHARED_CALLS = 64;

/**
 * Seconds: tasks with a longer timeout run in their own workflow, since continue-as-new would have to wait for them.
 */
export const LONG_TASK_S = 600;

/**
 * A value may be referred to from so many places of the state, before any of them is measured again: results, for
 * example, by the frame, by the step's result and by its list of tasks.
 */
export const PLACES_OF_A_VALUE = 4;
