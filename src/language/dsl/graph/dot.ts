import { type Graph, type GraphArc, type GraphNode } from './model';
import { arcLabel, nodeLines, short } from './label';

/** The graph in the language of Graphviz. */
export function dotOf(graph: Graph): string {
  const ids = new Map(graph.nodes.map((node, i) => [node.step, `s${String(i)}`]));
  const id = (step: string | null): string => ids.get(step)!;
  return [
    `digraph ${quoted([short(graph.name, 80)])} {`,
    '  graph [rankdir=TB, fontname="Helvetica"];',
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...graph.nodes.map((node) => `  ${id(node.step)} [${attributes(node)}];`),
    ...graph.arcs.map((arc) => `  ${id(arc.from)} -> ${id(arc.to)}${arcAttributes(arc)};`),
    '}',
    '',
  ].join('\n');
}

function attributes(node: GraphNode): string {
  const label = `label=${quoted(nodeLines(node))}`;
  if (node.step === null) return `${label}, shape=doublecircle`;
  const fill = node.entry ? '#e0f2fe' : node.end ? '#dcfce7' : node.loop ? '#fef3c7' : undefined;
  return [
    label,
    ...(node.join ? ['shape=hexagon', 'style=filled'] : []),
    ...(node.reachable ? [] : ['style="rounded,dashed"']),
    ...(fill === undefined || !node.reachable ? [] : [`fillcolor="${fill}"`]),
  ].join(', ');
}

function arcAttributes(arc: GraphArc): string {
  const label = arcLabel(arc);
  const parts = [
    ...(label === undefined ? [] : [`label=${quoted([label])}`]),
    ...(arc.failure ? ['style=dashed'] : []),
    ...(arc.fork ? ['penwidth=2'] : []),
  ];
  return parts.length === 0 ? '' : ` [${parts.join(', ')}]`;
}

/** Lines as a quoted string: escapes quotes, backslashes, and `&`, which Graphviz interprets as in HTML. */
function quoted(lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    line.replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"'),
  );
  return `"${escaped.join('\\n')}"`;
}
