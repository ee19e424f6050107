import { type StepPlan, type TaskPlan } from './plan';

/** Every task of a step: of its pipeline, of the iterators in it, and the sinks beside it. */
export function everyTask(step: StepPlan): TaskPlan[] {
  return [...step.tasks, ...(step.asides ?? [])].flatMap(withBody);
}

function withBody(task: TaskPlan): TaskPlan[] {
  return [task, ...(task.body ?? []).flatMap(withBody)];
}
