import {
  type ActionDoc,
  type CollectDoc,
  type StepDoc,
  type TaskDoc,
  type Write,
} from '../document/document';

/** A written variable, and the position of the write. */
export type Written = Pick<Write, 'scope' | 'path' | 'at'>;

/** Many checks ask, and a step is the same while others are edited. */
function perStep<T>(of: (step: StepDoc) => T): (step: StepDoc) => T {
  const answers = new WeakMap<StepDoc, T>();
  return (step) => {
    const answer = answers.get(step) ?? of(step);
    answers.set(step, answer);
    return answer;
  };
}

/** All tasks of a step: of its pipeline, of the iterators in it, and its sinks. */
export const tasksOf = perStep((step): readonly TaskDoc[] =>
  [...step.tasks, ...step.asides].flatMap(withBody),
);

/** A task and, of an iterator, every task in it. */
export function withBody(task: TaskDoc): readonly TaskDoc[] {
  return task.body === undefined ? [task] : [task, ...task.body.flatMap(withBody)];
}

/** All actions of a step: of its rules, and of its tasks' repetitions. */
export function stepActions(step: StepDoc): ActionDoc[] {
  const rules = (step.case?.rules ?? []).flatMap((rule) => rule.actions);
  return [...rules, ...tasksOf(step).flatMap(betweenCalls)];
}

/** Actions of a task before its next call. */
export function betweenCalls(task: TaskDoc): readonly ActionDoc[] {
  return (task.retry ?? []).flatMap((policy) => policy.actions);
}

/** The writes of actions, without collected values. */
export function writesOfActions(actions: readonly ActionDoc[]): Write[] {
  return actions.flatMap((action) => (action.do === 'set' ? action.writes : []));
}

/** The writes of a task and of its rules. */
export function writesOfTask(task: TaskDoc): Write[] {
  return [...task.writes, ...(task.rules ?? []).flatMap((rule) => rule.writes)];
}

/** All writes during a step's run, without those of its arcs. */
export const writesInside = perStep((step): readonly Written[] => {
  const actions = stepActions(step);
  return [
    ...step.writes,
    ...tasksOf(step).flatMap(writesOfTask),
    ...writesOfActions(actions),
    ...actions
      .filter((action): action is CollectDoc => action.do === 'collect')
      .map(({ into, at }) => ({ ...into, at })),
  ];
});

/** Every write of a step, of its tasks, of its rules, and of its arcs. */
export const writesOfStep = perStep((step): readonly Written[] => [
  ...writesInside(step),
  ...(step.router?.arcs ?? []).flatMap((arc) => arc.writes),
]);
