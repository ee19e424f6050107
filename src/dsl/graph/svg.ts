import { type Graph, type GraphArc, type GraphNode } from './model';
import { arcLabel, clean, nodeLines } from './label';
import { layOut, type LaidEdge, type Point, type Size } from './layout/layout';

const MARGIN = 24;
const LINE = 17;
const FONT = 'ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

const STYLE = [
  `text{font-family:${FONT};font-size:13px;fill:#18181b;text-anchor:middle;dominant-baseline:central}`,
  '.sub{font-size:11.5px;fill:#52525b}',
  '.name{font-weight:600}',
  '.label{font-size:11.5px;fill:#3f3f46}',
  '.box{fill:#fff;stroke:#a1a1aa;stroke-width:1.2}',
  '.entry .box{fill:#e0f2fe;stroke:#0369a1}',
  '.end .box{fill:#dcfce7;stroke:#15803d}',
  '.loop .box{fill:#fef3c7;stroke:#b45309}',
  '.lost .box{fill:#f4f4f5;stroke:#a1a1aa;stroke-dasharray:5 4}',
  '.arc{fill:none;stroke:#71717a;stroke-width:1.4}',
  '.arc.fork{stroke-width:2.4}',
  '.arc.failure{stroke:#b91c1c;stroke-dasharray:5 4}',
  '.plate{fill:#fff;opacity:.92}',
].join('');

/**
 * The graph as a picture of its own: no script, no link, nothing loaded, every name and guard escaped. Full guards and
 * descriptions are tooltips.
 */
export function svgOf(graph: Graph): string {
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
  const width = Math.ceil(right - left) + 2 * MARGIN;
  const height = Math.ceil(layout.height) + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" role="img">`,
    `<title>${escapeXml(graph.name)}</title>`,
    `<style>${STYLE.replaceAll('"', "'")}</style>`,
    `<defs>${marker('tip', '#71717a')}${marker('tip-failure', '#b91c1c')}</defs>`,
    `<rect width="${String(width)}" height="${String(height)}" rx="8" fill="#fff"/>`,
    `<g transform="translate(${n(MARGIN - left)} ${String(MARGIN)})">`,
    ...arcs.map(({ arc, laid }) => pathOf(arc, laid)),
    ...graph.nodes.map((node, i) => boxOf(node, lines[i]!, layout.boxes[i]!, sizes[i]!)),
    ...arcs.flatMap(({ arc, laid, label }) =>
      label === undefined || laid.label === undefined ? [] : [labelOf(arc, label, laid)],
    ),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** The leftmost and rightmost place that is drawn on. */
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

/** From where to where a label reaches. */
function plateOf(arc: GraphArc, label: string, { label: at, points }: LaidEdge): [number, number] {
  const middle = at?.x ?? points[0]!.x;
  const width = label === '' ? 0 : textWidth(label, 11.5) + 10;
  return arc.from === arc.to ? [middle + 8, middle + 8 + width] : [middle - width / 2, middle + width / 2];
}

/** A step that leads to itself needs room on its right, and as much on its left to stay in the middle. */
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

/** Near enough without a font: capitals and wide signs, narrow letters, the rest; other scripts are wide. */
export function textWidth(text: string, size: number): number {
  let units = 0;
  for (const char of text) {
    if (/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]|\p{Extended_Pictographic}/u.test(char))
      units += 1.05;
    else if (/[A-ZMW@%mw→↻…]/.test(char)) units += 0.74;
    else if (/[iljtfrI.,:;|!'()[\]\s]/.test(char)) units += 0.34;
    else units += 0.58;
  }
  return Math.ceil(units * size);
}

function boxOf(node: GraphNode, lines: readonly string[], { x, y }: Point, { width, height }: Size): string {
  const kind = node.reachable ? (node.entry ? 'entry' : node.end ? 'end' : node.loop ? 'loop' : '') : 'lost';
  const top = y - (lines.length * LINE) / 2 + LINE / 2;
  const text = lines.map(
    (line, i) =>
      `<text class="${i === 0 ? 'name' : 'sub'}" x="${n(x)}" y="${n(top + i * LINE)}">${escapeXml(line)}</text>`,
  );
  const full =
    node.step === null ? 'The token ends' : [node.step, node.desc ?? ''].filter(Boolean).join(': ');
  return `<g class="${kind}"><title>${escapeXml(full)}</title>${shapeOf(node, { x, y }, { width, height })}${text.join('')}</g>`;
}

function shapeOf(node: GraphNode, { x, y }: Point, { width, height }: Size): string {
  const [left, top] = [x - width / 2, y - height / 2];
  if (node.step === null) return `<circle class="box" cx="${n(x)}" cy="${n(y)}" r="${n(width / 2)}"/>`;
  if (node.join) {
    const corners = [
      [left, y],
      [left + 14, top],
      [left + width - 14, top],
      [left + width, y],
      [left + width - 14, top + height],
      [left + 14, top + height],
    ];
    return `<polygon class="box" points="${corners.map(([a, b]) => `${n(a!)},${n(b!)}`).join(' ')}"/>`;
  }
  const radius = node.entry || node.end ? height / 2 : 7;
  const box = (dx: number, dy: number): string =>
    `<rect class="box" x="${n(left + dx)}" y="${n(top + dy)}" width="${n(width)}" height="${n(height)}" rx="${n(radius)}"/>`;
  // A loop is a pile of cards.
  return node.loop === undefined ? box(0, 0) : box(6, 6) + box(3, 3) + box(0, 0);
}

function pathOf(arc: GraphArc, { points }: LaidEdge): string {
  const [first, ...rest] = points as [Point, ...Point[]];
  let path = `M${n(first.x)} ${n(first.y)}`;
  let last = first;
  if (arc.from === arc.to) {
    const { x, y } = rest.at(-1)!;
    path += `C${n(x + SELF * 1.4)} ${n(first.y)} ${n(x + SELF * 1.4)} ${n(y)} ${n(x)} ${n(y)}`;
    return arcPath(arc, path);
  }
  for (const point of rest) {
    const middle = (last.y + point.y) / 2;
    path += `C${n(last.x)} ${n(middle)} ${n(point.x)} ${n(middle)} ${n(point.x)} ${n(point.y)}`;
    last = point;
  }
  return arcPath(arc, path);
}

function arcPath(arc: GraphArc, path: string): string {
  const style = ['arc', ...(arc.fork ? ['fork'] : []), ...(arc.failure ? ['failure'] : [])].join(' ');
  const tip = arc.failure ? 'tip-failure' : 'tip';
  return `<path class="${style}" d="${path}" marker-end="url(#${tip})"/>`;
}

function labelOf(arc: GraphArc, label: string, laid: LaidEdge): string {
  const { y } = laid.label!;
  const [from, to] = plateOf(arc, label, laid);
  const [at, width] = [(from + to) / 2, to - from];
  const full = arc.when === undefined ? '' : `<title>${escapeXml(arc.when)}</title>`;
  return `<g>${full}<rect class="plate" x="${n(from)}" y="${n(y - 9)}" width="${n(width)}" height="18" rx="4"/><text class="label" x="${n(at)}" y="${n(y)}">${escapeXml(label)}</text></g>`;
}

function marker(id: string, color: string): string {
  return `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1L10 5L0 9z" fill="${color}"/></marker>`;
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Characters that XML cannot carry are left out; the others are written so that they are text and nothing else. */
export function escapeXml(text: string): string {
  return clean(text).replace(/[&<>"'`]/g, (char) => `&#${String(char.charCodeAt(0))};`);
}
