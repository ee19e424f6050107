import { type ArcPlan, type Plan, type StepPlan, type Value } from '../../plan';
import { joinsOf, waysOf } from './joins';
import { guardText } from './label';
import { type Graph, type GraphArc, type GraphNode } from './model';

/** The graph of a plan. The same plan gives the same graph, in the same order. */
export function graphOf(plan: Plan): Graph {
  const arcs = plan.steps.flatMap(arcsOf);
  const joins = joinsOf(plan.steps, arcs);
  const reached = reachedFrom(plan.start, arcs);
  const nodes = plan.steps.map((step) => nodeOf(step, plan.start, joins, reached));
  const ends = arcs.some((arc) => arc.to === null) ? [END] : [];
  return {
    name: plan.metadata.name,
    path: plan.metadata.path,
    entry: plan.start,
    nodes: [...nodes, ...ends],
    arcs,
  };
}

const END: GraphNode = {
  step: null,
  kinds: [],
  tasks: [],
  entry: false,
  end: true,
  fork: false,
  join: false,
  reachable: true,
};

function arcsOf(step: StepPlan): GraphArc[] {
  const { router } = step;
  if (router === undefined) return [];
  const fork = isFork(step);
  return router.arcs.map((arc, i) => ({
    from: step.name,
    to: arc.step,
    ...guardOf(arc),
    otherwise: !fork && arc.when === undefined && i > 0,
    failure: arc.handlesFailure && !ON_SUCCESS.test(arc.when?.source ?? ''),
    fork,
  }));
}

/** A guard that can only match a success, although the router asks it after a failure as well. */
const ON_SUCCESS = /\bevent\.name\s*==\s*['"](step|loop|call)\.done['"]/;

function guardOf(arc: ArcPlan): { when?: string } {
  return arc.when === undefined ? {} : { when: guardText(arc.when.source) };
}

function isFork({ router }: StepPlan): boolean {
  return router?.mode === 'inclusive' && router.arcs.length > 1;
}

function nodeOf(
  step: StepPlan,
  start: string,
  joins: ReadonlySet<string>,
  reached: ReadonlySet<string>,
): GraphNode {
  const { loop } = step;
  const max = numberOf(loop?.maxInFlight);
  return {
    step: step.name,
    ...(step.desc === undefined ? {} : { desc: step.desc }),
    kinds: [...new Set(step.tasks.map((task) => task.kind))],
    tasks: step.tasks.map((task) => task.name),
    ...(loop === undefined
      ? {}
      : { loop: { iterator: loop.iterator, mode: loop.mode, ...(max === undefined ? {} : { max }) } }),
    entry: step.name === start,
    end: (step.router?.arcs ?? []).length === 0,
    fork: isFork(step),
    join: joins.has(step.name),
    reachable: reached.has(step.name),
    ...(step.at[0] > 0 ? { line: step.at[0] } : {}),
  };
}

/** A number that is known without running; a template is not. */
function numberOf(value: Value | undefined): number | undefined {
  return value !== undefined && 'const' in value && typeof value.const === 'number' ? value.const : undefined;
}

function reachedFrom(start: string, arcs: readonly GraphArc[]): Set<string> {
  const ways = waysOf(arcs);
  const reached = new Set<string>([start]);
  for (const step of reached) for (const { to } of ways.get(step) ?? []) if (to !== null) reached.add(to);
  return reached;
}
