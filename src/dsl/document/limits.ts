/** Steps of one playbook; more do not fit into one execution. */
export const MAX_STEPS = 10_000;
