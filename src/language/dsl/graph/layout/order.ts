import { type LayoutEdge } from './rank';

/** Further sweeps have no visible effect. */
const SWEEPS = 24;

/**
 * Orders the items of each layer to reduce edge crossings: barycenters, alternating down and up, keeping the best.
 */
export function orderLayers(
  layers: readonly (readonly number[])[],
  edges: readonly LayoutEdge[],
): number[][] {
  const up = new Map<number, number[]>();
  const down = new Map<number, number[]>();
  for (const { from, to } of edges) {
    down.set(from, [...(down.get(from) ?? []), to]);
    up.set(to, [...(up.get(to) ?? []), from]);
  }
  let current = layers.map((layer) => [...layer]);
  let best = current;
  let least = crossings(current, down);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    current = sweepOnce(current, sweep % 2 === 0 ? up : down, sweep % 2 === 0);
    const count = crossings(current, down);
    if (count < least) [best, least] = [current, count];
  }
  return best;
}

function sweepOnce(
  layers: readonly (readonly number[])[],
  beside: ReadonlyMap<number, readonly number[]>,
  downwards: boolean,
): number[][] {
  const position = positions(layers);
  const next = layers.map((layer) => [...layer]);
  const indexes = layers.map((_, i) => (downwards ? i : layers.length - 1 - i));
  for (const i of indexes) {
    const weight = new Map(
      next[i]!.map((item) => {
        const around = beside.get(item) ?? [];
        const sum = around.reduce((total, each) => total + position.get(each)!, 0);
        return [item, around.length === 0 ? position.get(item)! : sum / around.length];
      }),
    );
    next[i]!.sort((a, b) => weight.get(a)! - weight.get(b)! || position.get(a)! - position.get(b)!);
    next[i]!.forEach((item, at) => position.set(item, at));
  }
  return next;
}

function positions(layers: readonly (readonly number[])[]): Map<number, number> {
  return new Map(layers.flatMap((layer) => layer.map((item, i): [number, number] => [item, i])));
}

/** The number of crossings between adjacent layers. */
function crossings(
  layers: readonly (readonly number[])[],
  down: ReadonlyMap<number, readonly number[]>,
): number {
  const position = positions(layers);
  let count = 0;
  for (const layer of layers) {
    const ends = layer.flatMap((item) =>
      (down.get(item) ?? []).map((to) => position.get(to)!).sort((a, b) => a - b),
    );
    count += inversions(ends);
  }
  return count;
}

/** The number of inversions; uses a tree of counts, because layers may be wide. */
function inversions(values: readonly number[]): number {
  const size = Math.max(0, ...values) + 2;
  const tree = new Uint32Array(size);
  let count = 0;
  values.forEach((value, seen) => {
    let notAbove = 0;
    for (let i = value + 1; i > 0; i -= i & -i) notAbove += tree[i]!;
    count += seen - notAbove;
    for (let i = value + 1; i < size; i += i & -i) tree[i]! += 1;
  });
  return count;
}
