import { type Json } from './json';
import { type Plan, type StepPlan, type TaskPlan } from './plan';

/** Every task of a step: of its pipeline, of nested iterators, and its sinks. */
export function everyTask(step: StepPlan): TaskPlan[] {
  return [...step.tasks, ...(step.sinks ?? [])].flatMap(withBody);
}

function withBody(task: TaskPlan): TaskPlan[] {
  return [task, ...(task.body ?? []).flatMap(withBody)];
}

/** The plan with a pool of workers for every task that names none, `default` included. */
export function inPool(plan: Plan, pool: string): Plan {
  const moved = ({ spec, body, ...task }: TaskPlan): TaskPlan => ({
    ...task,
    spec: { pool, ...spec },
    ...(body && { body: body.map(moved) }),
  });
  const steps = plan.steps.map(({ tasks, sinks, ...step }) => ({
    ...step,
    tasks: tasks.map(moved),
    ...(sinks && { sinks: sinks.map(moved) }),
  }));
  return { ...plan, steps };
}

/** The target of a task of kind `playbook`. */
interface PlaybookCalled {
  readonly path: string;
  /** Defaults to the latest version. */
  readonly version?: string;
}

/** The calls of sub-playbooks, with path and version, each undefined when it is an expression. */
export function playbookCallsOf(plan: Plan): (PlaybookCalled | undefined)[] {
  return plan.steps
    .flatMap(everyTask)
    .filter(({ kind }) => kind === 'playbook')
    .map(callOf);
}

function callOf({ config }: TaskPlan): PlaybookCalled | undefined {
  const field = (name: string): Json | undefined => {
    if ('const' in config) return (config.const as Record<string, Json>)[name];
    const value = 'map' in config ? config.map.find(([key]) => key === name)?.[1] : undefined;
    return value && 'const' in value ? value.const : undefined;
  };
  const path = field('path') ?? field('name');
  const version = field('version');
  if (typeof path !== 'string') return undefined;
  return { path, ...(version === undefined || version === null ? {} : { version: String(version) }) };
}
