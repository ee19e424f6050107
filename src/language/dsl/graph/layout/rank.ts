/** An edge between items by index; `reversed` if it was reversed so that all edges point down. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the edges that close a cycle, starting from the first items, so that reversing them makes the graph
 * acyclic. The result says for each edge whether to reverse it.
 */
export function backEdges(count: number, edges: readonly LayoutEdge[], first: number): boolean[] {
  const out = outgoing(count, edges);
  const state = new Uint8Array(count);
  const back = edges.map(() => false);
  const roots = [first, ...Array.from({ length: count }, (_, i) => i)];
  for (const root of roots) {
    if (state[root] !== 0) continue;
    const stack = [{ at: root, next: 0 }];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const edge = out[top.at]![top.next];
      top.next += 1;
      if (edge === undefined) {
        state[top.at] = 2;
        stack.pop();
        continue;
      }
      const { to } = edges[edge]!;
      if (state[to] === 1) back[edge] = true;
      else if (state[to] === 0) {
        state[to] = 1;
        stack.push({ at: to, next: 0 });
      }
    }
  }
  return back;
}

/**
 * Layers by the longest path from the top; edges must be acyclic. Each edge spans at least two layers, of which the
 * odd ones contain labels. An item without predecessors is placed directly above its successors.
 */
export function longestPath(count: number, edges: readonly LayoutEdge[]): number[] {
  const out = outgoing(count, edges);
  const waiting = new Array<number>(count).fill(0);
  for (const { to } of edges) waiting[to]! += 1;
  const order = waiting.flatMap((number, i) => (number === 0 ? [i] : []));
  const rank = new Array<number>(count).fill(0);
  const root = waiting.map((number) => number === 0);
  for (const at of order) {
    for (const edge of out[at]!) {
      const { to } = edges[edge]!;
      rank[to] = Math.max(rank[to]!, rank[at]! + 2);
      waiting[to]! -= 1;
      if (waiting[to] === 0) order.push(to);
    }
  }
  order.forEach((at) => {
    const below = out[at]!.map((edge) => rank[edges[edge]!.to]!);
    if (root[at] && below.length > 0) rank[at] = Math.max(rank[at]!, Math.min(...below) - 2);
  });
  return rank;
}

function outgoing(count: number, edges: readonly LayoutEdge[]): number[][] {
  const out = Array.from({ length: count }, (): number[] => []);
  edges.forEach(({ from }, i) => out[from]!.push(i));
  return out;
}
