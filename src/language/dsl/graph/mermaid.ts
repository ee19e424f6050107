import { type Graph, type GraphArc, type GraphNode } from './model';
import { arcLabel, nodeLines } from './label';

/**
 * The graph as a Mermaid flowchart, which GitHub and most Markdown viewers draw. Steps are numbered, and every
 * character of a name or guard with a meaning in Mermaid, Markdown or HTML is written as its code.
 */
export function mermaidOf(graph: Graph): string {
  const ids = new Map(graph.nodes.map((node, i) => [node.step, `s${String(i)}`]));
  const id = (step: string | null): string => ids.get(step)!;
  const classes = ['entry', 'end', 'loop', 'lost'].flatMap((name) => {
    const members = graph.nodes.filter((node) => classOf(node) === name).map((node) => id(node.step));
    return members.length === 0 ? [] : [`  class ${members.join(',')} ${STYLES[name]![0]}`];
  });
  const used = Object.values(STYLES).filter(([name]) => classes.some((line) => line.endsWith(` ${name}`)));
  return [
    'flowchart TD',
    ...graph.nodes.map((node) => `  ${id(node.step)}${shapeOf(node)}`),
    ...graph.arcs.map((arc) => `  ${id(arc.from)} ${arrowOf(arc)} ${id(arc.to)}`),
    ...used.map(([name, style]) => `  classDef ${name} ${style}`),
    ...classes,
    '',
  ].join('\n');
}

/** `end` is a keyword of Mermaid. */
const STYLES: Readonly<Record<string, readonly [name: string, style: string]>> = {
  entry: ['first', 'fill:#e0f2fe,stroke:#0369a1,color:#0c4a6e'],
  end: ['last', 'fill:#dcfce7,stroke:#15803d,color:#14532d'],
  loop: ['each', 'fill:#fef3c7,stroke:#b45309,color:#78350f'],
  lost: ['lost', 'fill:#f4f4f5,stroke:#a1a1aa,color:#52525b,stroke-dasharray:4'],
};

function classOf(node: GraphNode): string | undefined {
  if (!node.reachable || node.taken === 0) return 'lost';
  if (node.entry) return 'entry';
  if (node.end) return 'end';
  return node.loop === undefined ? undefined : 'loop';
}

function shapeOf(node: GraphNode): string {
  const label = `"${nodeLines(node).map(escapeMermaid).join('<br/>')}"`;
  if (node.step === null) return `((${label}))`;
  if (node.join) return `{{${label}}}`;
  if (node.loop !== undefined) return `[[${label}]]`;
  return node.entry || node.end ? `([${label}])` : `[${label}]`;
}

function arrowOf(arc: GraphArc): string {
  const arrow = arc.failure ? '-.->' : arc.fork ? '==>' : '-->';
  const label = arcLabel(arc);
  return label === undefined ? arrow : `${arrow}|"${escapeMermaid(label)}"|`;
}

/**
 * `#58;` is a colon only in Mermaid. Letters of all languages stay readable; characters that would start a Markdown
 * list are escaped.
 */
export function escapeMermaid(text: string): string {
  const code = (char: string): string => `#${String(char.codePointAt(0))};`;
  return text
    .replace(/[^\p{L}\p{M}\p{N} _.,/=()+'→↻·…-]/gu, code)
    .replace(/^(\d*)([-+.)])(?= )/, (_, digits: string, mark: string) => digits + code(mark));
}
