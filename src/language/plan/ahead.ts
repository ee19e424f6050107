/** Whether a playbook asks for more than its turn among the tasks that wait for workers. */
import { type PriorityPlan } from './limits';
import { type Plan } from './plan';
import { everyTask } from './tasks';

/** Of tasks that say nothing. */
const USUAL_PRIORITY = 3;

/**
 * The first place that asks for it: a priority before the usual one, or one that an expression computes; or fairness
 * keys, each of which takes a turn of its own.
 */
export function aheadOfOthers({ steps }: Pick<Plan, 'steps'>): PriorityPlan | undefined {
  return steps
    .flatMap(everyTask)
    .flatMap(({ spec }) => spec.priority ?? [])
    .find(({ priority, fairness }) => fairness !== undefined || (priority && !isUsual(priority)));
}

function isUsual(priority: NonNullable<PriorityPlan['priority']>): boolean {
  return 'const' in priority && Number(priority.const) >= USUAL_PRIORITY;
}
