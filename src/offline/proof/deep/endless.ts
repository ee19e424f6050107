/** Runs without an end that the author intended. */
import { type Plan } from '../../../language/plan';
import { type Explored, type StateNode } from './explore';
import { type DeepFinding, finding, stepNamed } from './finding';
import { cyclesAmong, leadingTo } from './graph';

/** Whether a run has ended as its author intended: it completed, or a rule failed it. */
function isEnd({ end, error, by }: StateNode): boolean {
  return (
    end === 'complete' ||
    end === 'cancelled' ||
    (end === 'fail' && by?.way.type !== 'error' && error?.code === 'RULE_FAIL')
  );
}

/** Whether its last input is an external failure: of a tool, or a timeout. */
function isOutside({ by }: StateNode): boolean {
  return by?.way.type === 'error' || by?.way.type === 'timer';
}

/** Whether it waits for something that can never occur. */
export function isStuck({ end, next }: StateNode): boolean {
  return end === null && next.length === 0;
}

/** Cycles that are never left, steps that always fail, and playbooks without an end. */
export function endless({ original, nodes, complete }: Explored): DeepFinding[] {
  if (!complete) return [];
  const ends = leadingTo(nodes, (node) => isEnd(node) || isStuck(node));
  const lost = new Set(nodes.filter((node) => !ends.has(node) && !node.end));
  const cycles = cyclesIn(original, lost);
  const findings = [
    ...cycles,
    ...runaways(original, nodes, ends).filter(({ step }) => !cycles.some((one) => one.step === step)),
    ...alwaysFailing(original, nodes, ends),
  ];
  const [start] = nodes;
  if (findings.length > 0 || !start || nodes.some((node) => node.end === 'complete' || isStuck(node)))
    return findings;
  const { name: step, at } = stepNamed(original, original.start);
  const node = nodes.find(({ end }) => end === 'fail') ?? start;
  return [finding('NEVER_COMPLETES', { message: 'no run of this playbook can complete', step, at, node })];
}

function cyclesIn(plan: Plan, lost: ReadonlySet<StateNode>): DeepFinding[] {
  const named = new Set<string>();
  return cyclesAmong(lost).flatMap((cycle) => {
    const tokens = cycle.flatMap((node) => Object.values(node.state.tokens));
    const steps = stepsInOrder(
      plan,
      tokens.map(({ step }) => step),
    );
    const [step] = steps;
    if (step === undefined || named.has(step)) return [];
    steps.forEach((one) => named.add(one));
    const message = `the cycle of ${steps.join(', ')} is never left, except by a failure`;
    return [finding('CYCLE_WITHOUT_EXIT', { message, step, at: stepNamed(plan, step).at, node: cycle[0]! })];
  });
}

/** Cycles without a call, which a limit ended. */
function runaways(plan: Plan, nodes: readonly StateNode[], ends: ReadonlySet<StateNode>): DeepFinding[] {
  const byStep = new Map<string, DeepFinding>();
  for (const node of nodes) {
    const step = node.error?.step ?? plan.start;
    if (node.end !== 'cut' || byStep.has(step) || (node.by && ends.has(node.by.from))) continue;
    const message = `step ${step} is run again and again: ${node.error?.message}`;
    byStep.set(step, finding('CYCLE_WITHOUT_EXIT', { message, step, at: stepNamed(plan, step).at, node }));
  }
  return [...byStep.values()];
}

/** Steps that fail without a tool that failed, in every state where they run. */
function alwaysFailing(plan: Plan, nodes: readonly StateNode[], ends: ReadonlySet<StateNode>): DeepFinding[] {
  const byStep = new Map<string, DeepFinding>();
  for (const node of nodes) {
    const { end, error, by } = node;
    const step = error?.step;
    if (end !== 'fail' || step === undefined || isOutside(node) || error?.code === 'RULE_FAIL') continue;
    const origin = by?.from;
    if ((origin && ends.has(origin)) || byStep.has(step)) continue;
    byStep.set(
      step,
      finding('ALWAYS_FAILS', {
        message: `step ${step} fails whatever its tools answer: ${error?.message}`,
        step,
        at: stepNamed(plan, step).at,
        node,
      }),
    );
  }
  return [...byStep.values()];
}

function stepsInOrder(plan: Plan, steps: readonly string[]): string[] {
  return plan.steps.map(({ name }) => name).filter((name) => steps.includes(name));
}
