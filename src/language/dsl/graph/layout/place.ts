import { type LayoutEdge } from './rank';

/** Space between neighbours in a layer. */
const GAP = 28;
const SWEEPS = 30;

/**
 * Centres of all items, from left to right: each layer in turn moves to the mean of its connections, as far as
 * order and widths allow. `bends` are items that only carry an edge: they have more weight, so that long edges stay
 * straight.
 */
export function placeItems(
  layers: readonly (readonly number[])[],
  edges: readonly LayoutEdge[],
  widths: readonly number[],
  bends: readonly boolean[],
): number[] {
  const x = new Array<number>(widths.length).fill(0);
  for (const layer of layers) pack(layer, widths).forEach((at, i) => (x[layer[i]!] = at));
  const around = { up: neighbours(edges, 'to', 'from'), down: neighbours(edges, 'from', 'to') };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const last = sweep >= SWEEPS - 2;
    const downwards = sweep % 2 === 0;
    const indexes = layers.map((_, i) => (downwards ? i : layers.length - 1 - i));
    for (const i of indexes) {
      const layer = layers[i]!;
      const centers = layer.map((item) => {
        const side = (downwards ? around.up : around.down).get(item) ?? [];
        const both = last || side.length === 0;
        const all = both ? [...(around.up.get(item) ?? []), ...(around.down.get(item) ?? [])] : side;
        return mean(all, x, bends[item]!, bends) ?? x[item]!;
      });
      const weights = layer.map((item) => (bends[item] ? 3 : 1));
      settle(layer, centers, weights, widths).forEach((at, k) => (x[layer[k]!] = at));
    }
  }
  const left = Math.min(...x.map((at, i) => at - widths[i]! / 2));
  return x.map((at) => Math.round((at - left) * 10) / 10);
}

function neighbours(
  edges: readonly LayoutEdge[],
  of: 'from' | 'to',
  is: 'from' | 'to',
): Map<number, number[]> {
  const byNode = new Map<number, number[]>();
  for (const edge of edges) {
    const list = byNode.get(edge[of]);
    if (list === undefined) byNode.set(edge[of], [edge[is]]);
    else list.push(edge[is]);
  }
  return byNode;
}

function mean(
  items: readonly number[],
  x: readonly number[],
  bend: boolean,
  bends: readonly boolean[],
): number | undefined {
  if (items.length === 0) return undefined;
  let sum = 0;
  let total = 0;
  for (const item of items) {
    const weight = bend && bends[item] ? 4 : 1;
    sum += weight * x[item]!;
    total += weight;
  }
  return sum / total;
}

function pack(layer: readonly number[], widths: readonly number[]): number[] {
  let at = 0;
  return layer.map((item) => {
    const middle = at + widths[item]! / 2;
    at += widths[item]! + GAP;
    return middle;
  });
}

/**
 * The positions nearest to the desired ones (least squares) with minimum distances: isotonic regression, merging
 * neighbours in the wrong order into blocks.
 */
function settle(
  layer: readonly number[],
  centers: readonly number[],
  weights: readonly number[],
  widths: readonly number[],
): number[] {
  const offsets = pack(layer, widths);
  const blocks: { value: number; weight: number; size: number }[] = [];
  layer.forEach((_, i) => {
    blocks.push({ value: centers[i]! - offsets[i]!, weight: weights[i]!, size: 1 });
    while (blocks.length > 1 && blocks.at(-2)!.value > blocks.at(-1)!.value) {
      const right = blocks.pop()!;
      const left = blocks.pop()!;
      const weight = left.weight + right.weight;
      const value = (left.value * left.weight + right.value * right.weight) / weight;
      blocks.push({ value, weight, size: left.size + right.size });
    }
  });
  const values = blocks.flatMap((block) => new Array<number>(block.size).fill(block.value));
  return values.map((value, i) => value + offsets[i]!);
}
