/** What is wrong with a plan, as far as its states show. */
import { everyTask, type Plan, type StepPlan } from '../../plan';
import { partsOf } from '../coverage/coverage';
import { type Explored, type Node } from './explore';
import { type DeepFinding, finding } from './finding';
import { cyclesAmong, leadingTo } from './graph';
import { racesIn } from './races';
import { uncompensated } from './side-effects';

/** Events that something outside is known to send. */
export interface Known {
  readonly sent?: ReadonlySet<string>;
}

export function findingsOf(explored: Explored, known: Known = {}): DeepFinding[] {
  const found = [
    ...waiting(explored, known),
    ...endless(explored),
    ...neverTouched(explored),
    ...racesIn(explored),
    ...uncompensated(explored),
  ];
  return found.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || (a.code < b.code ? -1 : 1));
}

function stepOf(plan: Plan, name: string): StepPlan {
  return plan.steps.find((step) => step.name === name) ?? plan.steps[0]!;
}

function waiting({ original, nodes }: Explored, known: Known): DeepFinding[] {
  const found = new Map<string, DeepFinding>();
  for (const node of nodes) {
    if (node.end || !node.visited) continue;
    const stuck = node.next.length === 0;
    const steps = stuck ? Object.values(node.state.tokens).map(({ step }) => step) : [];
    for (const { event, step } of node.awaiting) {
      if (event === undefined || stuck || known.sent?.has(event) || found.has(step)) continue;
      const message = `step ${step} waits without a time limit for event '${event}', which nothing in this playbook sends; add a timeout, or name it with --sent ${event}`;
      found.set(step, finding('WAITS_FOR_OUTSIDE', { message, step, at: stepOf(original, step).at, node }));
    }
    for (const name of steps) {
      const key = `${name} stuck`;
      if (found.has(key)) continue;
      const event = node.awaiting.find(({ step }) => step === name)?.event;
      const why =
        event === undefined
          ? 'nothing that it waits for can come'
          : `no event '${event}' can satisfy its condition`;
      found.set(
        key,
        finding('WAITS_FOR_EVER', {
          message: `step ${name} waits for ever: ${why}`,
          step: name,
          at: stepOf(original, name).at,
          node,
        }),
      );
    }
  }
  return [...found.values()];
}

/** A run has come to an end of its author's choosing: it completed, or a rule failed it. */
function isEnd({ end, error, by }: Node): boolean {
  return (
    end === 'complete' ||
    end === 'cancelled' ||
    (end === 'fail' && by?.way.type !== 'error' && error?.code === 'RULE_FAIL')
  );
}

/** Cycles that are never left, steps that always fail, and playbooks without an end. */
function endless({ original, nodes, complete }: Explored): DeepFinding[] {
  if (!complete) return [];
  const ends = leadingTo(nodes, (node) => isEnd(node) || (!node.end && node.next.length === 0));
  const lost = new Set(nodes.filter((node) => !ends.has(node) && !node.end));
  const found: DeepFinding[] = [];
  const named = new Set<string>();
  for (const cycle of cyclesAmong(lost)) {
    const steps = [
      ...new Set(cycle.flatMap((node) => Object.values(node.state.tokens).map(({ step }) => step))),
    ];
    const first = stepsInOrder(original, steps)[0]!;
    if (named.has(first)) continue;
    steps.forEach((step) => named.add(step));
    const message = `the cycle of ${stepsInOrder(original, steps).join(', ')} is never left, except by a failure`;
    found.push(
      finding('CYCLE_WITHOUT_EXIT', {
        message,
        step: first,
        at: stepOf(original, first).at,
        node: cycle[0]!,
      }),
    );
  }
  for (const node of nodes) {
    const step = node.error?.step ?? original.start;
    if (node.end === 'cut' && node.by && !ends.has(node.by.from) === false) continue;
    if (node.end !== 'cut' || named.has(step)) continue;
    named.add(step);
    const message = `step ${step} is run again and again: ${node.error!.message}`;
    found.push(finding('CYCLE_WITHOUT_EXIT', { message, step, at: stepOf(original, step).at, node }));
  }
  found.push(...alwaysFailing(original, nodes, ends));
  const start = nodes[0];
  if (
    found.length === 0 &&
    start &&
    !nodes.some(({ end }) => end === 'complete') &&
    !nodes.some((node) => !node.end && node.next.length === 0)
  ) {
    const { name: step, at } = stepOf(original, original.start);
    found.push(
      finding('NEVER_COMPLETES', {
        message: 'no run of this playbook can complete',
        step,
        at,
        node: nodes.find(({ end }) => end === 'fail') ?? start,
      }),
    );
  }
  return found;
}

/** Steps that fail without a tool that failed, in every state where they run. */
function alwaysFailing(plan: Plan, nodes: readonly Node[], ends: ReadonlySet<Node>): DeepFinding[] {
  const found = new Map<string, DeepFinding>();
  for (const node of nodes) {
    const { end, error, by } = node;
    const step = error?.step;
    if (end !== 'fail' || step === undefined || by?.way.type === 'error' || error?.code === 'RULE_FAIL')
      continue;
    const origin = by?.from;
    if ((origin && ends.has(origin)) || found.has(step)) continue;
    found.set(
      step,
      finding('ALWAYS_FAILS', {
        message: `step ${step} fails whatever its tools answer: ${error?.message}`,
        step,
        at: stepOf(plan, step).at,
        node,
      }),
    );
  }
  return [...found.values()];
}

function stepsInOrder(plan: Plan, steps: readonly string[]): string[] {
  return plan.steps.map(({ name }) => name).filter((name) => steps.includes(name));
}

/** Steps, arcs and rules that no run touches; of those that follow from each other, the first. */
function neverTouched({ original, coverage, complete }: Explored): DeepFinding[] {
  if (!complete) return [];
  const isTouched = (id: string): boolean => (coverage.touches[id] ?? 0) > 0;
  const parts = partsOf(original);
  return parts.flatMap((part) => {
    if (isTouched(part.id) || part.kind === 'failure') return [];
    if (part.kind !== 'step' && !isTouched(`step ${part.step}`)) return [];
    const { step: name, at } = part;
    const step = stepOf(original, name);
    if (part.kind === 'arc' && isDefault(original, part.id, isTouched)) return [];
    if (part.kind === 'arc')
      return [finding('ARC_NEVER_TAKEN', { message: `the arc ${part.name} is never taken`, step: name, at })];
    if (part.kind === 'rule') {
      if (isElse(part.name) || isRoutingRule(step, part.id)) return [];
      return [finding('RULE_NEVER_MATCHES', { message: `${part.name} never matches`, step: name, at })];
    }
    const isLeaf = (step.router?.arcs.length ?? 0) === 0;
    const before = parts.filter(({ kind, id }) => kind === 'arc' && targetOf(original, id) === name);
    const isTold = before.some(({ id, step: from }) => !isTouched(id) && isTouched(`step ${from}`));
    if (isTold || (!isLeaf && before.length > 0 && !before.some(({ id }) => isTouched(id)))) return [];
    const message = isLeaf ? `the end ${name} is never reached` : `step ${name} never runs`;
    return [finding(isLeaf ? 'END_NEVER_REACHED' : 'STEP_NEVER_RUNS', { message, step: name, at })];
  });
}

/** @param arc `arc fetch[0]` */
function targetOf(plan: Plan, arc: string): string | null | undefined {
  const [, step = '', index] = /^arc (.*)\[(\d+)\]$/.exec(arc) ?? [];
  return stepOf(plan, step).router?.arcs[Number(index)]?.step;
}

/** A last arc for what cannot happen is a good habit, if its target has other ways in. */
function isDefault(plan: Plan, id: string, isTouched: (id: string) => boolean): boolean {
  const [, name = '', index] = /^arc (.*)\[(\d+)\]$/.exec(id) ?? [];
  const arcs = stepOf(plan, name).router?.arcs ?? [];
  const arc = arcs[Number(index)];
  if (!arc || arc.when || arc.rule !== undefined || arcs.length < 2 || arc !== arcs.at(-1)) return false;
  return arc.step === null || isTouched(`step ${arc.step}`);
}

/** A last rule for what cannot happen is a good habit, not a mistake. */
function isElse(name: string): boolean {
  return name.endsWith(': else');
}

/** Rules that act in silence: storing, and those of sinks. */
function isRoutingRule(step: StepPlan, id: string): boolean {
  const index = Number(/\[(\d+)\]$/.exec(id)?.[1]);
  const sets = id.startsWith(`rule ${step.name}[`)
    ? [step.rules]
    : everyTask(step)
        .filter(({ name }) => id.startsWith(`rule ${step.name}/${name}[`))
        .map(({ rules }) => rules);
  return sets.some((set) => set?.rules[index]?.on.every((on) => on === 'store') ?? false);
}
