/** Maximum number of steps; more do not fit into one execution. */
export const MAX_STEPS = 10_000;
