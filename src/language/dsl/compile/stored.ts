import { type StepPlan, type TaskPlan } from '../../plan';
import { type TemplateReference } from '../../template';
import { HERE, readsIn } from './lean';

/**
 * The steps, with the tasks marked whose `_ref`, `_store` or `reference.ref` a template reads: by the name of their step or of the task, or
 * as `output._ref`; a loop as a whole is in no store. Such a task has an activity of its own, whose result the store can take.
 */
export function markStored(steps: readonly StepPlan[]): readonly StepPlan[] {
  const own = new Map(steps.map((step) => [step, readsIn(step).filter(readsPlace)]));
  const roots = new Set([...own.values()].flat().map(({ root }) => root));
  if (roots.size === 0) return steps;
  return steps.map((step) => {
    const isRead = roots.has(step.name) && step.loop === undefined;
    const all = isRead || own.get(step)!.some(({ root }) => Object.hasOwn(HERE, root));
    const marked = ({ local, ...task }: TaskPlan): TaskPlan => {
      const isStored = all || roots.has(task.name);
      return {
        ...task,
        ...(task.body && { body: task.body.map(marked) }),
        ...(isStored ? { stored: true } : local && { local }),
      };
    };
    return { ...step, tasks: step.tasks.map(marked) };
  });
}

function readsPlace({ path }: TemplateReference): boolean {
  return (
    path.includes('_ref') ||
    path.includes('_store') ||
    path.some((key, at) => key === 'reference' && path[at + 1] === 'ref')
  );
}
