import { type DrawnArc, type DrawnNode, drawingOf, LINE, n } from './drawing';
import { clean } from './label';
import { type Point, type Size } from './layout/layout';
import { type Graph, type GraphArc, type GraphNode } from './model';

const MARGIN = 24;
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
  '.arc.untaken{opacity:.35}',
  '.plate{fill:#fff;opacity:.92}',
].join('');

/**
 * The graph as a self-contained picture: no scripts, links or external resources; every name and guard is escaped.
 * Full guards and descriptions are tooltips.
 */
export function svgOf(graph: Graph): string {
  const drawing = drawingOf(graph);
  const width = drawing.width + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" role="img">`,
    `<title>${escapeXml(graph.name)}</title>`,
    `<style>${STYLE.replaceAll('"', "'")}</style>`,
    `<defs>${marker('tip', '#71717a')}${marker('tip-failure', '#b91c1c')}</defs>`,
    `<rect width="${String(width)}" height="${String(height)}" rx="8" fill="#fff"/>`,
    `<g transform="translate(${n(MARGIN - drawing.left)} ${String(MARGIN)})">`,
    ...drawing.arcs.map(({ arc, path }) => arcPath(arc, path)),
    ...drawing.nodes.map(boxOf),
    ...drawing.arcs.flatMap(({ arc, label }) => (label === undefined ? [] : [labelOf(arc, label)])),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function boxOf({ node, lines, at: { x, y }, size: { width, height } }: DrawnNode): string {
  const kind =
    node.reachable && node.taken !== 0
      ? node.entry
        ? 'entry'
        : node.end
          ? 'end'
          : node.loop
            ? 'loop'
            : ''
      : 'lost';
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
  // A loop is drawn as a stack of cards.
  return node.loop === undefined ? box(0, 0) : box(6, 6) + box(3, 3) + box(0, 0);
}

function arcPath(arc: GraphArc, path: string): string {
  const style = [
    'arc',
    ...(arc.fork ? ['fork'] : []),
    ...(arc.failure ? ['failure'] : []),
    ...(arc.taken === 0 ? ['untaken'] : []),
  ].join(' ');
  const tip = arc.failure ? 'tip-failure' : 'tip';
  return `<path class="${style}" d="${path}" marker-end="url(#${tip})"/>`;
}

function labelOf(arc: GraphArc, { text, y, from, to }: NonNullable<DrawnArc['label']>): string {
  const [at, width] = [(from + to) / 2, to - from];
  const full = arc.when === undefined ? '' : `<title>${escapeXml(arc.when)}</title>`;
  return `<g>${full}<rect class="plate" x="${n(from)}" y="${n(y - 9)}" width="${n(width)}" height="18" rx="4"/><text class="label" x="${n(at)}" y="${n(y)}">${escapeXml(text)}</text></g>`;
}

function marker(id: string, color: string): string {
  return `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1L10 5L0 9z" fill="${color}"/></marker>`;
}

/** Drops characters that XML cannot represent, and escapes the others. */
export function escapeXml(text: string): string {
  return clean(text).replace(/[&<>"'`]/g, (char) => `&#${String(char.charCodeAt(0))};`);
}
