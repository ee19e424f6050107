import { orderLayers } from './order';
import { placeItems } from './place';
import { backEdges, type LayoutEdge, longestPath } from './rank';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LaidEdge {
  /** From source to target; intermediate points are passed vertically. */
  readonly points: readonly Point[];
  /** The centre of its label. */
  readonly label?: Point;
}

interface Layout extends Size {
  /** The centre of each box. */
  readonly boxes: readonly Point[];
  /** Empty for an edge from a box to itself. */
  readonly edges: readonly LaidEdge[];
}

const BETWEEN = 20;
const BEND = 10;
const PORT = 18;

/**
 * A layered layout, top to bottom: cycle removal, longest-path layering, barycenter crossing reduction, then
 * coordinates. Labels are items of their own, so that nothing overlaps. Deterministic.
 */
export function layOut(
  boxes: readonly Size[],
  edges: readonly LayoutEdge[],
  labels: readonly (Size | undefined)[],
  first: number,
): Layout {
  const loops = edges.map(({ from, to }) => from === to);
  const real = edges.flatMap((_, i) => (loops[i] ? [] : [i]));
  const back = backEdges(
    boxes.length,
    real.map((i) => edges[i]!),
    first,
  );
  const turned = new Set(real.filter((_, k) => back[k]));
  const straight = real.map((i): LayoutEdge => {
    const { from, to } = edges[i]!;
    return turned.has(i) ? { from: to, to: from } : { from, to };
  });
  const rank = longestPath(boxes.length, straight);
  const sizes: Size[] = [...boxes];
  const parts: LayoutEdge[] = [];
  const chains = straight.map((edge, k): number[] => {
    const chain: number[] = [edge.from];
    for (let at = rank[edge.from]! + 1; at < rank[edge.to]!; at += 1) {
      // Labels are in the first layer below the upper end.
      const label = at === rank[edge.from]! + 1 ? labels[real[k]!] : undefined;
      rank.push(at);
      sizes.push(label ?? { width: BEND, height: 0 });
      chain.push(sizes.length - 1);
    }
    chain.push(edge.to);
    for (let i = 1; i < chain.length; i += 1) parts.push({ from: chain[i - 1]!, to: chain[i]! });
    return chain;
  });
  const layers = orderLayers(layersOf(rank), parts);
  const bends = sizes.map((_, i) => i >= boxes.length);
  const x = placeItems(
    layers,
    parts,
    sizes.map((size) => size.width),
    bends,
  );
  const y = heights(layers, sizes);
  const point = (i: number): Point => ({ x: x[i]!, y: y[i]! });
  const ports = portsOf(chains, sizes, boxes.length, point);
  const laid = new Map(
    chains.map((chain, k): [number, LaidEdge] => {
      const labelled = labels[real[k]!] === undefined ? undefined : chain[1]!;
      // Between adjacent layers of boxes only labels can be in the way.
      const inner = chain.slice(1, -1).filter((i) => i === labelled || rank[i]! % 2 === rank[chain[0]!]! % 2);
      const points = [ports.out[k]!, ...inner.map(point), ports.in[k]!];
      if (turned.has(real[k]!)) points.reverse();
      const label = labelled === undefined ? {} : { label: point(labelled) };
      return [real[k]!, { points, ...label }];
    }),
  );
  return {
    boxes: boxes.map((_, i) => point(i)),
    edges: edges.map((_, i) => laid.get(i) ?? { points: [] }),
    width: Math.max(0, ...sizes.map((size, i) => x[i]! + size.width / 2)),
    height: Math.max(0, ...sizes.map((size, i) => y[i]! + size.height / 2)),
  };
}

function layersOf(rank: readonly number[]): number[][] {
  const layers: number[][] = Array.from({ length: Math.max(-1, ...rank) + 1 }, () => []);
  rank.forEach((at, item) => layers[at]!.push(item));
  return layers;
}

function heights(layers: readonly (readonly number[])[], sizes: readonly Size[]): number[] {
  const y = new Array<number>(sizes.length).fill(0);
  let top = 0;
  for (const layer of layers) {
    const height = Math.max(4, ...layer.map((item) => sizes[item]!.height));
    for (const item of layer) y[item] = top + height / 2;
    top += height + BETWEEN;
  }
  return y;
}

/** Where edges leave and enter their boxes: side by side, in the order of their other ends. */
function portsOf(
  chains: readonly (readonly number[])[],
  sizes: readonly Size[],
  boxes: number,
  point: (item: number) => Point,
): { out: Point[]; in: Point[] } {
  const out: Point[] = [];
  const into: Point[] = [];
  for (let box = 0; box < boxes; box += 1) {
    const { x, y } = point(box);
    const { width, height } = sizes[box]!;
    const spread = (side: Point[], sign: number, ends: { k: number; next: number }[]): void => {
      ends.sort((a, b) => point(a.next).x - point(b.next).x || a.k - b.k);
      const space = Math.min(PORT, (width - 24) / Math.max(1, ends.length - 1));
      ends.forEach(({ k }, i) => {
        side[k] = { x: x + (i - (ends.length - 1) / 2) * space, y: y + (sign * height) / 2 };
      });
    };
    const of = (at: 0 | -1, next: 1 | -2): { k: number; next: number }[] =>
      chains.flatMap((chain, k) => (chain.at(at) === box ? [{ k, next: chain.at(next)! }] : []));
    spread(out, 1, of(0, 1));
    spread(into, -1, of(-1, -2));
  }
  return { out, in: into };
}
