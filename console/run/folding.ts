/** A graph with few enough nodes to be read: series of steps, and branches that begin and end alike, become one node each. */
import { type LoopStand, type Moment, type StepStand } from '../../src/history/moment';
import { type Graph, type GraphArc, type GraphNode } from '../../src/language/dsl/graph/model';

/** Of an arc: the step that it leaves, and its index in that step's router. */
type ArcPlace = readonly [step: string, arc: number];

export interface FoldedGraph {
  readonly graph: Graph;
  /** Steps of nodes that stand for several. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Of each arc of the graph: the arcs that it stands for. */
  readonly places: readonly (readonly ArcPlace[])[];
}

const SERIES = 3;
const BRANCHES = 4;

/** @param open groups that stay unfolded; undefined: all */
export function foldedGraph(graph: Graph, open: ReadonlySet<string> | undefined): FoldedGraph {
  const whole = { graph, groups: new Map<string, readonly string[]>(), places: arcPlaces(graph) };
  if (!open) return whole;
  return condensed(condensed(whole, seriesIn(graph), open), undefined, open);
}

/** Of each arc, itself. */
export function arcPlaces({ arcs }: Graph): FoldedGraph['places'] {
  const counts = new Map<string, number>();
  return arcs.map(({ from }) => {
    const index = counts.get(from) ?? 0;
    counts.set(from, index + 1);
    return [[from, index]];
  });
}

interface Ends {
  readonly before: ReadonlySet<string>;
  readonly behind: ReadonlySet<string>;
}

/** The nodes that may be part of a group, with their neighbors. */
function foldableIn({ nodes, arcs }: Graph): ReadonlyMap<string, Ends> {
  const ends = new Map(
    nodes.map(({ step }) => [step ?? '', { before: new Set<string>(), behind: new Set<string>() }]),
  );
  for (const { from, to } of arcs) {
    ends.get(from)?.behind.add(to ?? '');
    ends.get(to ?? '')?.before.add(from);
  }
  for (const { step, entry } of nodes)
    if (step === null || entry || ends.get(step)!.behind.has(step)) ends.delete(step ?? '');
  return ends;
}

/** Steps one after another: each leads to the next alone, and nothing else does. */
function seriesIn(graph: Graph): readonly (readonly string[])[] {
  const ends = foldableIn(graph);
  const nextOf = (step: string): string | undefined => {
    const [next, ...others] = ends.get(step)!.behind;
    if (next === undefined || others.length > 0 || ends.get(next)?.before.size !== 1) return undefined;
    return next;
  };
  const follows = new Set([...ends.keys()].flatMap((step) => nextOf(step) ?? []));
  const series: string[][] = [];
  for (const first of ends.keys()) {
    if (follows.has(first)) continue;
    const steps = [first];
    for (let next = nextOf(first); next !== undefined; next = nextOf(next)) steps.push(next);
    if (steps.length >= SERIES) series.push(steps);
  }
  return series;
}

/** Nodes between the same neighbors. */
function branchesIn(graph: Graph): readonly (readonly string[])[] {
  const alike = new Map<string, string[]>();
  for (const [step, { before, behind }] of foldableIn(graph)) {
    if (before.size === 0) continue;
    const key = JSON.stringify([[...before].sort(), [...behind].sort()]);
    alike.set(key, [...(alike.get(key) ?? []), step]);
  }
  return [...alike.values()].filter(({ length }) => length >= BRANCHES);
}

function condensed(
  { graph, groups, places }: FoldedGraph,
  families: readonly (readonly string[])[] = branchesIn(graph),
  open: ReadonlySet<string>,
): FoldedGraph {
  const ownGroups = new Map(groups);
  const groupOf = new Map<string, string>();
  for (const members of families) {
    const steps = members.flatMap((member) => ownGroups.get(member) ?? [member]);
    const id = `${steps[0]!} … ${steps.at(-1)!}`;
    if (open.has(id)) continue;
    for (const member of members) {
      groupOf.set(member, id);
      ownGroups.delete(member);
    }
    ownGroups.set(id, steps);
  }
  const nodes = new Map<string, GraphNode>();
  for (const node of graph.nodes) {
    const id = groupOf.get(node.step ?? '');
    nodes.set(id ?? node.step ?? '', id === undefined ? node : groupNode(id, ownGroups.get(id)!.length));
  }
  const arcs = new Map<string, { arc: GraphArc; places: ArcPlace[] }>();
  graph.arcs.forEach((arc, index) => {
    const [from, to] = [groupOf.get(arc.from) ?? arc.from, arc.to && (groupOf.get(arc.to) ?? arc.to)];
    const isChanged = from !== arc.from || to !== arc.to;
    if (isChanged && from === to) return;
    const key = isChanged ? JSON.stringify([from, to]) : String(index);
    const { when: _, ...plain } = arc;
    const same = arcs.get(key);
    if (same) same.arc = { ...plain, from, to, otherwise: false };
    else arcs.set(key, { arc: { ...arc, from, to }, places: [] });
    arcs.get(key)!.places.push(...places[index]!);
  });
  const all = [...arcs.values()];
  return {
    graph: { ...graph, nodes: [...nodes.values()], arcs: all.map(({ arc }) => arc) },
    groups: ownGroups,
    places: all.map((one) => one.places),
  };
}

function groupNode(step: string, count: number): GraphNode {
  const kinds = [`${String(count)} steps`];
  return {
    ...{ step, kinds, tasks: [], entry: false, end: false, fork: false, join: false, reachable: true },
  };
}

/** The moment with what its groups do together. */
export function foldedMoment(moment: Moment, { groups }: FoldedGraph): Moment {
  if (groups.size === 0) return moment;
  const stands = new Map(moment.steps);
  const groupOf = new Map([...groups].flatMap(([id, steps]) => steps.map((step) => [step, id] as const)));
  const together = [...groups].flatMap(([id, steps]) => {
    const begun = steps.flatMap((step) => stands.get(step) ?? []);
    return begun.length === 0 ? [] : [[id, standOf(begun, steps.length)] as const];
  });
  return {
    ...moment,
    steps: [...moment.steps, ...together],
    tokens: moment.tokens.map(([token, step]) => [token, groupOf.get(step) ?? step]),
  };
}

/** What of its steps is told of a group first. */
const FIRST = ['failed', 'running', 'asleep', 'queued'] as const;

function standOf(stands: readonly StepStand[], total: number): StepStand {
  const count = (looks: readonly string[]): number =>
    stands.filter(({ look }) => looks.includes(look)).length;
  const loop: LoopStand = {
    total,
    done: count(['done', 'skipped']),
    failed: count(['failed']),
    running: count(['running', 'asleep', 'queued']),
  };
  const look = FIRST.find((one) => count([one]) > 0) ?? (loop.done === total ? 'done' : 'waiting');
  return { look, runs: 1, open: loop.running, loop, tasks: 0, waits: 0, children: [], called: 0 };
}
