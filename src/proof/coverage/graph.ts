import { type Graph } from '../../dsl/graph';
import { type Touches } from './coverage';

/** The graph of a playbook, with how often runs came to each step and took each arc. */
export function withCoverage(graph: Graph, touches: Touches): Graph {
  const seen = new Map<string, number>();
  return {
    ...graph,
    nodes: graph.nodes.map((node) =>
      node.step === null ? node : { ...node, taken: touches[`step ${node.step}`] ?? 0 },
    ),
    // The arcs of a step are in the order of its router.
    arcs: graph.arcs.map((arc) => {
      const index = seen.get(arc.from) ?? 0;
      seen.set(arc.from, index + 1);
      return { ...arc, taken: touches[`arc ${arc.from}[${index}]`] ?? 0 };
    }),
  };
}
