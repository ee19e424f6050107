import { type Graph } from '../../../language/dsl/graph';
import { type Plan } from '../../../language/plan';
import { type CoveragePart, coverageParts, type Touches } from './coverage';

type Counted = Pick<CoveragePart, 'kind' | 'id' | 'step' | 'name'> & { readonly count: number };

/** The graph of a plan, with how often runs came to each step and took each arc, and which rules none touched. */
export function withCoverage(graph: Graph, plan: Plan, touches: Touches): Graph {
  return withTouches(
    graph,
    coverageParts(plan).map((part) => ({ ...part, count: touches[part.id] ?? 0 })),
  );
}

/** As `withCoverage`. @param parts all of the plan, as `coverage --json` prints them */
export function withTouches(graph: Graph, parts: readonly Counted[]): Graph {
  const seen = new Map<string, number>();
  const counts = new Map(parts.map(({ id, count }) => [id, count]));
  const rules = parts.filter(({ kind, count }) => kind === 'rule' && count === 0);
  return {
    ...graph,
    nodes: graph.nodes.map((node) =>
      node.step === null
        ? node
        : {
            ...node,
            taken: counts.get(`step ${node.step}`) ?? 0,
            untouched: rules.filter(({ step }) => step === node.step).map(({ name }) => name),
          },
    ),
    // The arcs of a step are in the order of its router.
    arcs: graph.arcs.map((arc) => {
      const index = seen.get(arc.from) ?? 0;
      seen.set(arc.from, index + 1);
      return { ...arc, taken: counts.get(`arc ${arc.from}[${index}]`) ?? 0 };
    }),
  };
}
