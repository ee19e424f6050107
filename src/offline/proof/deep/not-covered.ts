/** What `check --deep` does not explore of a playbook, in words. */
import { playbookCallsOf, everyTask, type Plan } from '../../../language/plan';

export function notCovered(plan: Plan): string[] {
  return [...limits(plan), ...subPlaybooks(plan)];
}

function limits(plan: Plan): string[] {
  const { concurrency, debounce, steps } = plan;
  const limited = steps.flatMap((step) =>
    everyTask(step).flatMap(({ name, spec }) =>
      spec.rateLimit ? [`rate limit of ${step.name}/${name}`] : [],
    ),
  );
  const names = [
    ...(concurrency ? [`concurrency (${concurrency.onConflict})`] : []),
    ...(debounce ? ['debounce'] : []),
    ...limited,
  ];
  return names.length === 0
    ? []
    : [`limits by key let everything pass: ${names.join(', ')} with other executions`];
}

function subPlaybooks(plan: Plan): string[] {
  const paths = new Set(playbookCallsOf(plan).map((call) => call?.path ?? 'of a path that is an expression'));
  return paths.size === 0
    ? []
    : [`sub-playbooks answer or fail like tools; check each separately: ${[...paths].join(', ')}`];
}
