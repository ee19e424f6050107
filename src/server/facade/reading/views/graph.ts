/** The steps of an execution's playbook, and which of them have run. */
import { dotOf, graphOf, mermaidOf, svgOf } from '../../../../language/dsl/graph';
import { type ReadExecution } from '../../executions/recorded';
import { type PROGRESS } from '../../documents/executions';

export const PICTURES = {
  mermaid: { type: 'text/plain', draw: mermaidOf },
  dot: { type: 'text/vnd.graphviz', draw: dotOf },
  svg: { type: 'image/svg+xml', draw: svgOf },
} as const;
export const FORMATS = ['json', 'mermaid', 'dot', 'svg'] as const;
/** A document, or the text of a picture. */
export function graphIn(read: ReadExecution, format: (typeof FORMATS)[number]): unknown {
  return format === 'json' ? documentOf(read) : PICTURES[format].draw(graphOf(read.plan));
}

function documentOf(read: ReadExecution): object {
  const { nodes, ...graph } = graphOf(read.plan);
  const { state } = read;
  const running = new Set(Object.values(state.runs).map((run) => run.step));
  const progressOf = (step: string): (typeof PROGRESS)[number] => {
    if (running.has(step)) return 'running';
    if (!Object.hasOwn(state.results, step)) return 'waiting';
    return state.results[step]!.status === 'ok' ? 'done' : 'failed';
  };
  return {
    execution_id: read.id,
    ...graph,
    arcs: graph.arcs.map((arc) => ({ ...arc })),
    nodes: nodes.map((node) => ({
      ...node,
      kinds: [...node.kinds],
      status: node.step === null ? 'waiting' : progressOf(node.step),
      runs: node.step !== null && Object.hasOwn(state.runCounts, node.step) ? state.runCounts[node.step]! : 0,
    })),
  };
}
