/** Positions of all parts of a graph: for pictures (svg.ts) and for pages that draw it themselves. */
import { arcLabel, nodeLines } from './label';
import { layOut, type LaidEdge, type Point, type Size } from './layout/layout';
import { type Graph, type GraphArc, type GraphNode } from './model';

/** Height of a line of text. */
export const LINE = 17;

export interface DrawnNode {
  readonly node: GraphNode;
  readonly lines: readonly string[];
  /** Its centre. */
  readonly at: Point;
  readonly size: Size;
}

export interface DrawnArc {
  readonly arc: GraphArc;
  /** Of an SVG path. */
  readonly path: string;
  readonly label?: {
    readonly text: string;
    readonly y: number;
    /** Horizontal extent of its background. */
    readonly from: number;
    readonly to: number;
  };
}

export interface Drawing {
  /** In the order of the graph, as are the arcs. */
  readonly nodes: readonly DrawnNode[];
  readonly arcs: readonly DrawnArc[];
  /** The leftmost coordinate used; the top is 0. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** Sizes are pixels at a font size of 13. */
export function drawingOf(graph: Graph): Drawing {
  const index = new Map(graph.nodes.map((node, i) => [node.step, i]));
  const lines = graph.nodes.map((node) => nodeLines(node));
  const labels = graph.arcs.map((arc) => arcLabel(arc));
  const loops = loopSpace(graph, labels);
  const layout = layOut(
    graph.nodes.map((node, i) => boxSize(node, lines[i]!, loops.get(i) ?? 0)),
    graph.arcs.map((arc) => ({ from: index.get(arc.from)!, to: index.get(arc.to)! })),
    labels.map((label) =>
      label === undefined ? undefined : { width: textWidth(label, 11.5) + 12, height: 20 },
    ),
    index.get(graph.entry) ?? 0,
  );
  const sizes = graph.nodes.map((node, i) => boxSize(node, lines[i]!, 0));
  const arcs = graph.arcs.map((arc, i) => {
    const from = index.get(arc.from)!;
    const laid = arc.from === arc.to ? selfLoop(layout.boxes[from]!, sizes[from]!) : layout.edges[i]!;
    return { arc, laid, label: labels[i] };
  });
  const [left, right] = extent(layout.boxes, sizes, arcs);
  return {
    nodes: graph.nodes.map((node, i) => ({ node, lines: lines[i]!, at: layout.boxes[i]!, size: sizes[i]! })),
    arcs: arcs.map(({ arc, laid, label }) => ({
      arc,
      path: pathOf(arc, laid),
      ...(label === undefined || laid.label === undefined ? {} : { label: placed(arc, label, laid) }),
    })),
    left,
    width: Math.ceil(right - left),
    height: Math.ceil(layout.height),
  };
}

function placed(arc: GraphArc, text: string, laid: LaidEdge): NonNullable<DrawnArc['label']> {
  const [from, to] = plateOf(arc, text, laid);
  return { text, y: laid.label!.y, from, to };
}

/** The leftmost and rightmost coordinates used. */
function extent(
  boxes: readonly Point[],
  sizes: readonly Size[],
  arcs: readonly { laid: LaidEdge; arc: GraphArc; label: string | undefined }[],
): [left: number, right: number] {
  const spans = [
    ...boxes.map(({ x }, i) => [x - sizes[i]!.width / 2, x + sizes[i]!.width / 2 + 6]),
    ...arcs.flatMap(({ laid }) => laid.points.map(({ x }) => [x, x])),
    ...arcs.map((each) => plateOf(each.arc, each.label ?? '', each.laid)),
  ];
  return [Math.min(...spans.map(([from]) => from!)), Math.max(...spans.map(([, to]) => to!))];
}

/** The horizontal extent of a label. */
function plateOf(arc: GraphArc, label: string, { label: at, points }: LaidEdge): [number, number] {
  const middle = at?.x ?? points[0]!.x;
  const width = label === '' ? 0 : textWidth(label, 11.5) + 10;
  return arc.from === arc.to ? [middle + 8, middle + 8 + width] : [middle - width / 2, middle + width / 2];
}

/** A step with an arc to itself needs space on its right, and as much on its left to stay centred. */
function loopSpace(graph: Graph, labels: readonly (string | undefined)[]): Map<number, number> {
  const space = new Map<number, number>();
  graph.arcs.forEach((arc, i) => {
    if (arc.from !== arc.to) return;
    const at = graph.nodes.findIndex((node) => node.step === arc.from);
    space.set(at, Math.max(space.get(at) ?? 0, SELF + textWidth(labels[i] ?? '', 11.5) + 16));
  });
  return space;
}

const SELF = 34;

function selfLoop({ x, y }: Point, { width, height }: Size): LaidEdge {
  const right = x + width / 2;
  const points = [
    { x: right, y: y - height / 5 },
    { x: right + SELF, y },
    { x: right, y: y + height / 5 },
  ];
  return { points, label: { x: right + SELF, y } };
}

function boxSize(node: GraphNode, lines: readonly string[], beside: number): Size {
  if (node.step === null) return { width: 52, height: 52 };
  const text = Math.max(...lines.map((line, i) => textWidth(line, i === 0 ? 13.6 : 11.5)));
  const slant = node.join ? 24 : 0;
  return { width: Math.max(92, text + 32 + slant) + 2 * beside, height: lines.length * LINE + 20 };
}

/**
 * An approximation without a font, as wide as that of the widest usual one (DejaVu Sans): a label is wider than its text
 * rather than narrower. Other scripts are wide.
 */
function textWidth(text: string, size: number): number {
  let units = 0;
  for (const char of text) {
    if (/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]|\p{Extended_Pictographic}/u.test(char))
      units += 1.05;
    else if (/[MWm@%…]/.test(char)) units += 0.97;
    else if (/[A-Zw=+<>→↻]/.test(char)) units += 0.78;
    else if (/[iljtfrI.,:;|!'()[\]\s]/.test(char)) units += 0.36;
    else units += 0.61;
  }
  return Math.ceil(units * size);
}

function pathOf(arc: GraphArc, { points }: LaidEdge): string {
  const [first, ...rest] = points as [Point, ...Point[]];
  let path = `M${n(first.x)} ${n(first.y)}`;
  let last = first;
  if (arc.from === arc.to) {
    const { x, y } = rest.at(-1)!;
    path += `C${n(x + SELF * 1.4)} ${n(first.y)} ${n(x + SELF * 1.4)} ${n(y)} ${n(x)} ${n(y)}`;
    return path;
  }
  for (const point of rest) {
    const middle = (last.y + point.y) / 2;
    path += `C${n(last.x)} ${n(middle)} ${n(point.x)} ${n(middle)} ${n(point.x)} ${n(point.y)}`;
    last = point;
  }
  return path;
}

/** A coordinate, as short as possible. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
