/**
 * Whether a recorded state can continue in a new revision of its playbook: it can if the graph up to the step is the
 * same.
 */
import { type Plan, type SourcePosition, type StepPlan } from '../../language/plan';

/**
 * The first difference between two revisions in what comes before `step`, as a message; undefined when a state recorded
 * there can continue in `revision`. What the steps do may differ: their recorded results are kept. The step itself, and
 * what comes after it, may be anything.
 *
 * @param elsewhere steps that other branches had reached, which the new revision must contain
 */
export function firstRevisedStep(
  recorded: Plan,
  revision: Plan,
  step: string,
  elsewhere: readonly string[],
): string | undefined {
  const now = new Map(revision.steps.map((one) => [one.name, one]));
  const at = (place: SourcePosition): string =>
    `${revision.source.file ?? 'the new revision'}:${place.join(':')}`;
  const [before, after] = [stepsUpTo(recorded, step), stepsUpTo(revision, step)];
  if (recorded.start !== revision.start)
    return `the recorded playbook starts at ${recorded.start}, the new revision at ${revision.start}`;
  for (const old of recorded.steps.filter(({ name }) => before.has(name))) {
    const one = now.get(old.name);
    if (!one) return `step ${old.name}, which comes before ${step}, is not in the new revision`;
    if (Boolean(old.loop) !== Boolean(one.loop))
      return `step ${old.name} (${at(one.at)}) ${one.loop ? 'is' : 'is not'} a loop, the recorded one ${old.loop ? 'is' : 'is not'}`;
    const [was, is] = [waysTo(old, step, before), waysTo(one, step, after)];
    if (was !== is)
      return `step ${old.name} (${at(one.at)}) continues to ${is} on the way to ${step}, the recorded one to ${was}`;
  }
  const added = revision.steps.find(({ name }) => after.has(name) && !before.has(name));
  if (added) return `step ${added.name} (${at(added.at)}) comes before ${step} in the new revision only`;
  const lost = elsewhere.find((name) => !now.has(name));
  return lost && `step ${lost}, which another branch had reached, is not in the new revision`;
}

/** Steps that the new revision changes although their recorded results are kept. */
export function changedSteps(recorded: Plan, revision: Plan): ReadonlySet<string> {
  const now = new Map(revision.steps.map((step) => [step.name, textOf(step)]));
  return new Set(
    recorded.steps.filter((step) => now.get(step.name) !== textOf(step)).map(({ name }) => name),
  );
}

/** The steps from which `step` can be reached without passing it. */
function stepsUpTo({ steps }: Plan, step: string): ReadonlySet<string> {
  const names = new Set<string>();
  const queue = [step];
  for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
    for (const { name, router } of steps) {
      if (name === step || names.has(name) || !router?.arcs.some((arc) => arc.step === target)) continue;
      names.add(name);
      queue.push(name);
    }
  }
  return names;
}

/** Its arcs that lead to the step, as a message. */
function waysTo({ router }: StepPlan, step: string, upTo: ReadonlySet<string>): string {
  const targets = router?.arcs.flatMap((arc) =>
    arc.step !== null && (arc.step === step || upTo.has(arc.step)) ? [arc.step] : [],
  );
  if (!targets?.length) return 'nothing';
  return targets.length === 1 ? targets[0]! : `${targets.join(', ')} (${router!.mode})`;
}

/** What a step does, regardless of its position in the YAML. */
function textOf(step: StepPlan): string {
  return JSON.stringify(step, (key, value: unknown) =>
    /^(at|codeAt|map)$/.test(key) && isPlace(value) ? undefined : value,
  );
}

function isPlace(value: unknown): boolean {
  return Array.isArray(value) && value.flat().every((one) => typeof one === 'number');
}
