/** Parts of a playbook that no run touches. */
import { everyTask, type Plan, type StepPlan } from '../../../language/plan';
import { type CoveragePart, coverageParts } from '../coverage/coverage';
import { type Explored, type StateNode } from './explore';
import { type DeepFinding, finding, stepNamed } from './finding';

type IsTouched = (id: string) => boolean;

/** Steps, arcs and rules that no run touches; of those that follow from each other, the first. */
export function neverTouched({ original, coverage, complete, nodes }: Explored): DeepFinding[] {
  if (!complete) return [];
  const passing = passersBy(nodes);
  const isTouched: IsTouched = (id) => (coverage.touches[id] ?? 0) > 0;
  const parts = coverageParts(original);
  const untouched = parts.filter(({ id, kind }) => kind !== 'failure' && !isTouched(id));
  return untouched.flatMap((part) => {
    if (part.kind === 'step') return neverRuns(original, part, parts, isTouched);
    if (!isTouched(`step ${part.step}`)) return [];
    const findings =
      part.kind === 'arc' ? neverTaken(original, part, isTouched) : neverMatches(original, part);
    return findings.map((one) => finding(one.code, { ...one, ...passing(part.step) }));
  });
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

function neverTaken(plan: Plan, { id, name, step, at }: CoveragePart, isTouched: IsTouched): DeepFinding[] {
  if (isDefault(plan, id, isTouched)) return [];
  return [finding('ARC_NEVER_TAKEN', { message: `the arc ${name} is never taken`, step, at })];
}

function neverMatches(plan: Plan, { id, name, step, at }: CoveragePart): DeepFinding[] {
  if (isElse(name) || isStorage(stepNamed(plan, step), id)) return [];
  return [finding('RULE_NEVER_MATCHES', { message: `${name} never matches`, step, at })];
}

function neverRuns(
  plan: Plan,
  { step, at }: CoveragePart,
  parts: readonly CoveragePart[],
  isTouched: IsTouched,
): DeepFinding[] {
  const isLeaf = (stepNamed(plan, step).router?.arcs.length ?? 0) === 0;
  const before = parts.filter(({ kind, id }) => kind === 'arc' && targetOf(plan, id) === step);
  const isTold = before.some((arc) => !isTouched(arc.id) && isTouched(`step ${arc.step}`));
  if (isTold || (!isLeaf && before.length > 0 && !before.some(({ id }) => isTouched(id)))) return [];
  const message = isLeaf ? `the end ${step} is never reached` : `step ${step} never runs`;
  return [finding(isLeaf ? 'END_NEVER_REACHED' : 'STEP_NEVER_RUNS', { message, step, at })];
}

/** @param arc `arc fetch[0]` */
function targetOf(plan: Plan, arc: string): string | null | undefined {
  const [, step = '', index] = /^arc (.*)\[(\d+)\]$/.exec(arc) ?? [];
  return stepNamed(plan, step).router?.arcs[Number(index)]?.step;
}

/** A final defensive arc is good practice if its target can be reached in other ways. */
function isDefault(plan: Plan, id: string, isTouched: IsTouched): boolean {
  const [, name = '', index] = /^arc (.*)\[(\d+)\]$/.exec(id) ?? [];
  const arcs = stepNamed(plan, name).router?.arcs ?? [];
  const arc = arcs[Number(index)];
  if (!arc || arc.when || arc.rule !== undefined || arcs.length < 2 || arc !== arcs.at(-1)) return false;
  return arc.step === null || isTouched(`step ${arc.step}`);
}

/** A final defensive rule is good practice, not a mistake. */
function isElse(name: string): boolean {
  return name.endsWith(': else');
}

/** Rules that only store: their actions are not reported as matches. */
function isStorage(step: StepPlan, id: string): boolean {
  const index = Number(/\[(\d+)\]$/.exec(id)?.[1]);
  const sets = id.startsWith(`rule ${step.name}[`)
    ? [step.rules]
    : everyTask(step)
        .filter(({ name }) => id.startsWith(`rule ${step.name}/${name}[`))
        .map(({ rules }) => rules);
  return sets.some((set) => set?.rules[index]?.on.every((on) => on === 'store') ?? false);
}
