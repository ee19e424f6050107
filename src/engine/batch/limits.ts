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
 * Work of one batch, in units of the template language's meter, after which the rest is deferred by a zero timer: some
 * 0.3 s, where Temporal's deadlock detector fires after 5 s. Not smaller: on a cluster a timer takes a second.
 */
export const BATCH_BUDGET = 3_000_000;

/** Characters of a value that cost one unit when it is written. */
export const CHARS_PER_UNIT = 32;

/**
 * A value may be referred to from so many places of the state, before any of them is measured again: results, for
 * example, by the frame, by the step's result and by its list of tasks.
 */
export const PLACES_OF_A_VALUE = 4;

/** Units of a micro-step without its templates. */
export const MICRO_STEP = 20;

/** Most units of a micro-step's templates: it is not interrupted, and many may each be within their own limit. */
export const MICRO_STEP_LIMIT = 10_000_000;
