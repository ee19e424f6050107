/**
 * Selectors of tasks in mocks and expectations: `task`, `step`, `step/task`, each optionally with `[iteration]`.
 */
import { didYouMean } from '../../../language/dsl/format';
import { everyTask, type Plan, type TaskCall, type TaskPlan } from '../../../language/plan';

/** A task of the playbook and its step. */
export interface SelectedTask {
  readonly step: string;
  readonly task: TaskPlan;
}

export interface Selector {
  readonly text: string;
  readonly places: readonly SelectedTask[];
  /** Absent: every iteration, and outside of loops. */
  readonly iteration?: number;
  /** Of two selectors that match the same call the more specific one applies. */
  readonly rank: number;
}

/** Every task of the playbook, including those of bodies and sinks. */
export function placesOf(plan: Plan): SelectedTask[] {
  return plan.steps.flatMap((step) => everyTask(step).map((task) => ({ step: step.name, task })));
}

/** Parses a selector; undefined if it matches no task of the playbook. */
export function selectorOf(text: string, places: readonly SelectedTask[]): Selector | undefined {
  const [, name = text, index] = /^(.*?)(?:\[(\d+)\])?$/s.exec(text) ?? [];
  const iteration = index === undefined ? {} : { iteration: Number(index) };
  const extra = index === undefined ? 0 : 1;
  for (const { rank, fits } of READINGS) {
    const matching = places.filter((place) => fits(place, name));
    if (matching.length > 0) return { text, places: matching, ...iteration, rank: rank + extra };
  }
  return undefined;
}

/** From specific to general. A name shared by a task and a step means the task. */
const READINGS: readonly { rank: number; fits: (place: SelectedTask, name: string) => boolean }[] = [
  { rank: 4, fits: ({ step, task }, name) => `${step}/${task.name}` === name },
  { rank: 2, fits: ({ task }, name) => task.name === name },
  { rank: 0, fits: ({ step }, name) => step === name },
];

export function selects(selector: Selector, call: Pick<TaskCall, 'step' | 'task' | 'iteration'>): boolean {
  if (selector.iteration !== undefined && selector.iteration !== call.iteration) return false;
  return selector.places.some(({ step, task }) => step === call.step && task.name === call.task);
}

/** `did you mean …?` for a misspelt selector, or undefined. */
export function meantBy(text: string, places: readonly SelectedTask[]): ReturnType<typeof didYouMean> {
  const name = text.replace(/\[\d+\]$/, '');
  const names = places.flatMap(({ step, task }) => [task.name, step, `${step}/${task.name}`]);
  return didYouMean(name, new Set(names));
}
