import { groupBy, type StepPlan } from '../../plan';
import { type GraphArc } from './model';

/** The arcs by source step. */
export function waysOf(arcs: readonly GraphArc[]): ReadonlyMap<string, readonly GraphArc[]> {
  return groupBy(arcs, ({ from }) => from);
}

/**
 * The steps at which branches of a fork meet (docs/design/tokens.md#joins): targets of two paths that belong to one
 * branch each. The engine decides at run time which tokens are alive; this is the static approximation.
 */
export function joinsOf(steps: readonly StepPlan[], arcs: readonly GraphArc[]): Set<string> {
  const ways = waysOf(arcs);
  const each = new Set(steps.filter((step) => step.joinEach).map((step) => step.name));
  const joins = new Set<string>();
  for (const [fork, branches] of [...ways].flatMap(([from, all]) =>
    forksOf(all).map((each) => [from, each] as const),
  )) {
    const owner = ownersOf(fork, branches, ways);
    const met = new Map<string, number>();
    const arrive = (at: string | null, branch: number | undefined): void => {
      if (at === null || at === fork || branch === undefined || branch === SHARED) return;
      const before = met.get(at);
      if (before === undefined) met.set(at, branch);
      else if (before !== branch && !each.has(at)) joins.add(at);
    };
    branches.forEach((arc, i) => arrive(arc.to, i));
    for (const [step, branch] of owner) for (const arc of ways.get(step) ?? []) arrive(arc.to, branch);
  }
  return joins;
}

/** The arcs taken together: structural ones, and those of each rule of `case`. */
function forksOf(arcs: readonly GraphArc[]): GraphArc[][] {
  const parallel = arcs.filter(({ fork }) => fork);
  return [...groupBy(parallel, ({ rule }) => rule).values()];
}

const SHARED = -1;

/** For every step behind the fork, the only branch that reaches it, or `SHARED`. */
function ownersOf(
  fork: string,
  branches: readonly GraphArc[],
  ways: ReadonlyMap<string, readonly GraphArc[]>,
): Map<string, number> {
  const owner = new Map<string, number>();
  branches.forEach((first, branch) => {
    const seen = new Set<string>();
    const open = [first.to];
    while (open.length > 0) {
      const at = open.pop();
      if (at === undefined || at === null || at === fork || seen.has(at)) continue;
      seen.add(at);
      owner.set(at, owner.has(at) && owner.get(at) !== branch ? SHARED : branch);
      for (const arc of ways.get(at) ?? []) open.push(arc.to);
    }
  });
  return owner;
}
