/** Runs without an end that the author intended. */
import { type Explored, type StateNode } from './explore';
import { type DeepCode, type DeepFinding, finding } from './finding';
import { isByLength } from './never';

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
export function endless(explored: Explored): DeepFinding[] {
  const { original, nodes, complete } = explored;
  if (!complete) return [];
  const ends = leadingTo(nodes, (node) => isEnd(node) || isStuck(node));
  const lost = new Set(nodes.filter((node) => !ends.has(node) && !node.end));
  const cycles = cyclesIn(explored, lost);
  const findings = [
    ...cycles,
    ...runaways(explored, ends).filter(({ step }) => !cycles.some((one) => one.step === step)),
    ...alwaysFailing(explored, ends),
  ];
  const [start] = nodes;
  if (findings.length > 0 || !start || nodes.some((node) => node.end === 'complete' || isStuck(node)))
    return findings;
  const node = nodes.find(({ end }) => end === 'fail') ?? start;
  const message = 'no run of this playbook can complete';
  return [finding(original, 'NEVER_COMPLETES', { message, step: original.start, node })];
}

function cyclesIn(explored: Explored, lost: ReadonlySet<StateNode>): DeepFinding[] {
  const { original: plan } = explored;
  const named = new Set<string>();
  return cyclesAmong(lost).flatMap((cycle) => {
    const on = new Set(cycle.flatMap(({ state }) => Object.values(state.tokens).map(({ step }) => step)));
    const own = plan.steps.filter(({ name }) => on.has(name));
    const steps = own.map(({ name }) => name);
    const [step] = steps;
    if (step === undefined || named.has(step) || own.some((one) => isByLength(explored, one))) return [];
    steps.forEach((one) => named.add(one));
    const message = `the cycle of ${steps.join(', ')} is never left, except by a failure`;
    return [finding(plan, 'CYCLE_WITHOUT_EXIT', { message, step, node: cycle[0]! })];
  });
}

/** The first of these states for each step: it is where no end can be reached. */
function firsts(
  { original, nodes }: Explored,
  ends: ReadonlySet<StateNode>,
  tell: (node: StateNode, step: string) => readonly [DeepCode, string] | undefined,
): DeepFinding[] {
  const byStep = new Map<string, DeepFinding>();
  for (const node of nodes) {
    const { error, by } = node;
    const step = error?.step ?? original.start;
    if (byStep.has(step) || (by && ends.has(by.from))) continue;
    const [code, message] = tell(node, step) ?? [];
    if (code && message) byStep.set(step, finding(original, code, { message, step, node }));
  }
  return [...byStep.values()];
}

/** Cycles without a call, which a limit ended. */
function runaways(explored: Explored, ends: ReadonlySet<StateNode>): DeepFinding[] {
  return firsts(explored, ends, ({ end, error }, step) =>
    end === 'cut'
      ? ['CYCLE_WITHOUT_EXIT', `step ${step} is run again and again: ${error?.message}`]
      : undefined,
  );
}

/** Steps that fail without a tool that failed, in every state where they run. */
function alwaysFailing(explored: Explored, ends: ReadonlySet<StateNode>): DeepFinding[] {
  return firsts(explored, ends, (node, step) => {
    const { end, error } = node;
    if (end !== 'fail' || error?.step === undefined || isOutside(node) || error.code === 'RULE_FAIL')
      return undefined;
    return ['ALWAYS_FAILS', `step ${step} fails whatever its tools answer: ${error.message}`];
  });
}

/** All nodes from which one of these can be reached, themselves included. */
export function leadingTo(
  nodes: readonly StateNode[],
  is: (node: StateNode) => boolean,
): ReadonlySet<StateNode> {
  const before = new Map<StateNode, StateNode[]>();
  for (const node of nodes)
    for (const next of node.next) {
      const list = before.get(next);
      if (list) list.push(node);
      else before.set(next, [node]);
    }
  const ancestors = new Set<StateNode>();
  const queue = nodes.filter(is);
  for (let node = queue.pop(); node; node = queue.pop()) {
    if (ancestors.has(node)) continue;
    ancestors.add(node);
    queue.push(...(before.get(node) ?? []));
  }
  return ancestors;
}

/** The strongly connected parts that contain a cycle, among these nodes (Tarjan, without recursion). */
export function cyclesAmong(nodes: ReadonlySet<StateNode>): StateNode[][] {
  const order = new Map<StateNode, number>();
  const low = new Map<StateNode, number>();
  const stack: StateNode[] = [];
  const onStack = new Set<StateNode>();
  const cycles: StateNode[][] = [];
  for (const root of nodes) {
    if (order.has(root)) continue;
    const work: { node: StateNode; at: number }[] = [{ node: root, at: 0 }];
    while (work.length > 0) {
      const top = work.at(-1)!;
      const { node } = top;
      if (top.at === 0) {
        order.set(node, order.size);
        low.set(node, order.get(node)!);
        stack.push(node);
        onStack.add(node);
      }
      const next = node.next[top.at++];
      if (next) {
        if (!nodes.has(next)) continue;
        if (!order.has(next)) work.push({ node: next, at: 0 });
        else if (onStack.has(next)) low.set(node, Math.min(low.get(node)!, order.get(next)!));
        continue;
      }
      work.pop();
      const above = work.at(-1)?.node;
      if (above) low.set(above, Math.min(low.get(above)!, low.get(node)!));
      if (low.get(node) !== order.get(node)) continue;
      const part = stack.splice(stack.lastIndexOf(node));
      for (const one of part) onStack.delete(one);
      if (part.length > 1 || node.next.includes(node)) cycles.push(part);
    }
  }
  return cycles;
}
