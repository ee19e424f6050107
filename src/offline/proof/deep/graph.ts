/** Questions about the graph of states. */
import { type Node } from './explore';

/** All nodes from which one of these can be reached, themselves included. */
export function leadingTo(nodes: readonly Node[], is: (node: Node) => boolean): ReadonlySet<Node> {
  const before = new Map<Node, Node[]>();
  for (const node of nodes)
    for (const next of node.next) {
      const list = before.get(next);
      if (list) list.push(node);
      else before.set(next, [node]);
    }
  const ancestors = new Set<Node>();
  const queue = nodes.filter(is);
  for (let node = queue.pop(); node; node = queue.pop()) {
    if (ancestors.has(node)) continue;
    ancestors.add(node);
    queue.push(...(before.get(node) ?? []));
  }
  return ancestors;
}

/** The strongly connected parts that contain a cycle, among these nodes (Tarjan, without recursion). */
export function cyclesAmong(nodes: ReadonlySet<Node>): Node[][] {
  const order = new Map<Node, number>();
  const low = new Map<Node, number>();
  const stack: Node[] = [];
  const onStack = new Set<Node>();
  const cycles: Node[][] = [];
  for (const root of nodes) {
    if (order.has(root)) continue;
    const work: { node: Node; at: number }[] = [{ node: root, at: 0 }];
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
