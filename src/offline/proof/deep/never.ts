/** Parts of a playbook that no run touches. */
import {
  everyTask,
  type JsonObject,
  objectsIn,
  type Plan,
  type PlanValue,
  type RulePlan,
  type SourcePosition,
  type StepPlan,
} from '../../../language/plan';
import { coverageParts } from '../coverage/coverage';
import { type Explored, type StateNode } from './explore';
import { type DeepFinding, finding } from './finding';

type IsTouched = (id: string) => boolean;

/** Steps, arcs and rules that no run touches; of those that follow from each other, the first. */
export function neverTouched(explored: Explored): DeepFinding[] {
  const { original: plan, coverage, complete, nodes } = explored;
  if (!complete) return [];
  const names = new Map(coverageParts(plan).map(({ id, name }) => [id, name]));
  const passing = passersBy(nodes);
  const isTouched: IsTouched = (id) => (coverage.touches[id] ?? 0) > 0;
  return plan.steps.flatMap((step) => {
    if (!isTouched(`step ${step.name}`)) return neverRuns(plan, step, isTouched);
    if (isByLength(explored, step)) return [];
    const parts = partsOf(step, isTouched);
    // Rules that one line of the author became (`until`) are one.
    const touched = new Set(parts.filter(({ id }) => isTouched(id)).map(lineOf));
    const never = parts.filter((part) => !part.isSpare && !isTouched(part.id) && !touched.has(lineOf(part)));
    return [
      ...never.map(({ id, code, at, events }) => {
        const name = names.get(id)!;
        const message =
          code === 'ARC_NEVER_TAKEN' ? `the arc ${name} is never taken` : `${name} never matches`;
        return finding(plan, code, { message, step: step.name, at, never: events, ...passing(step.name) });
      }),
      ...idleTasks(explored, step, passing(step.name)),
    ];
  });
}

interface Part {
  readonly code: 'ARC_NEVER_TAKEN' | 'RULE_NEVER_MATCHES';
  /** As of coverage. */
  readonly id: string;
  readonly at: SourcePosition;
  /** A final defensive arc or rule is good practice, and one that only stores is not reported as a match. */
  readonly isSpare: boolean;
  /** Those that tell of it. */
  readonly events: readonly JsonObject[];
}

function lineOf({ code, at }: Part): string {
  return `${code} ${String(at)}`;
}

function partsOf(step: StepPlan, isTouched: IsTouched): Part[] {
  const { name, router, rules, admit = [] } = step;
  const { arcs = [] } = router ?? {};
  const sets = [
    { place: name, set: rules, types: [] },
    ...everyTask(step).map(({ name: task, rules: set }) => ({
      ...{ place: `${name}/${task}`, set, task, types: ['task.directive', 'task.retrying'] },
    })),
  ];
  return [
    ...arcs.map((arc, i): Part => {
      const isLast = arcs.length > 1 && i === arcs.length - 1 && !arc.when && arc.rule === undefined;
      const isSpare = isLast && (arc.step === null || isTouched(`step ${arc.step}`));
      const events = [{ type: 'next.selected', step: name, payload: { arcs: [i] } }];
      return { code: 'ARC_NEVER_TAKEN', id: `arc ${name}[${i}]`, at: arc.at, isSpare, events };
    }),
    ...sets.flatMap(({ place, set, types, ...of }) =>
      (set?.rules ?? []).map((rule, i): Part => {
        const isSpare = isElse(rule) || rule.on.every((on) => on === 'store');
        const events = types.map((type) => ({ type, step: name, ...of, payload: { rule: i } }));
        return { code: 'RULE_NEVER_MATCHES', id: `rule ${place}[${i}]`, at: rule.at, isSpare, events };
      }),
    ),
    ...admit.map(({ when, at }, i): Part => ({
      ...{ code: 'RULE_NEVER_MATCHES', id: `rule ${name}[admit ${i}]` },
      ...{ at, isSpare: when === undefined },
      events: [{ type: 'step.admitted', step: name, payload: { rule: i } }],
    })),
  ];
}

function isElse({ when, unless, onError }: RulePlan): boolean {
  return !when && !unless && !onError;
}

/** Tasks of a step that runs which never begin. */
function idleTasks(
  { tasks, original }: Explored,
  { name: step, tasks: pipeline }: StepPlan,
  by: Pick<DeepFinding, 'node'>,
): DeepFinding[] {
  return pipeline.flatMap(({ name, at }) => {
    const message = `task ${name} of step ${step} never runs`;
    if (tasks.has(`${step}/${name}`)) return [];
    const never = [{ type: 'task.started', step, task: name }];
    return [finding(original, 'TASK_NEVER_RUNS', { message, step, at, never, ...by })];
  });
}

/** Whether its guards depend on items of a loop that the bound cuts off, or on more of them than it allows. */
export function isByLength(
  { original, relevance, bound }: Explored,
  { router, rules, tasks, sinks }: StepPlan,
): boolean {
  const guards = [...objectsIn([router, rules, tasks, sinks])].flatMap(({ when, unless }) => [when, unless]);
  return original.steps.some((step) =>
    loopsIn(step).some(({ in: list, iterator }) => {
      const isCut = 'const' in list && Array.isArray(list.const) && list.const.length > bound;
      const names = new Set([
        step.name,
        ...relevance.writes(step.name).keys(),
        ...(isCut ? [iterator, 'iter'] : []),
      ]);
      return guards.some((guard) => {
        const nodes = [...objectsIn(guard)];
        const isAbout = nodes.some(({ op, n, k }) =>
          names.has(String(op === 'name' ? n : op === 'get' ? k : '')),
        );
        return (
          isAbout && (isCut || nodes.some(({ op, v }) => op === 'lit' && typeof v === 'number' && v >= bound))
        );
      });
    }),
  );
}

function loopsIn(step: StepPlan): readonly { readonly in: PlanValue; readonly iterator: string }[] {
  return [step.loop, ...everyTask(step).map(({ loop }) => loop)].flatMap((loop) => (loop ? [loop] : []));
}

/** The shortest run that leaves a step, preferably one that completes: it shows the bypass. */
function passersBy(nodes: readonly StateNode[]): (step: string) => { readonly node?: StateNode } {
  const depths = new Map<StateNode, number>();
  for (const node of nodes) depths.set(node, (node.by ? (depths.get(node.by.from) ?? 0) : -1) + 1);
  const byDepth = [...nodes].sort((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0));
  return (step) => {
    const left = byDepth.filter(
      ({ state: { executed, tokens } }) =>
        executed.includes(step) && !Object.values(tokens).some((token) => token.step === step),
    );
    const node = left.find(({ end }) => end === 'complete') ?? left[0];
    return node ? { node } : {};
  };
}

/** Unless what is before it says so already. */
function neverRuns(plan: Plan, { name: step, router, at }: StepPlan, isTouched: IsTouched): DeepFinding[] {
  const isLeaf = (router?.arcs.length ?? 0) === 0;
  const before = plan.steps.flatMap((one) =>
    (one.router?.arcs ?? []).flatMap((arc, i) =>
      arc.step === step ? [{ from: `step ${one.name}`, isTaken: isTouched(`arc ${one.name}[${i}]`) }] : [],
    ),
  );
  const isTold = before.some(({ from, isTaken }) => !isTaken && isTouched(from));
  if (isTold || (!isLeaf && before.length > 0 && !before.some(({ isTaken }) => isTaken))) return [];
  const message = isLeaf ? `the end ${step} is never reached` : `step ${step} never runs`;
  return [finding(plan, isLeaf ? 'END_NEVER_REACHED' : 'STEP_NEVER_RUNS', { message, step, at })];
}
