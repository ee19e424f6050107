/** Algorithms on the state graph. */
import { type StateNode } from './explore';

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
