import { compact, type Plan, type StepPlan, type TaskPlan, type PlanValue } from '../../plan';
import { joinsOf, waysOf } from './joins';
import { guardText } from './label';
import { type Graph, type GraphArc, type GraphNode } from './model';

/** The graph of a plan. Deterministic, including its order. */
export function graphOf(plan: Plan): Graph {
  const arcs = plan.steps.flatMap(arcsOf);
  const joins = joinsOf(plan.steps, arcs);
  const reached = reachedFrom(plan.start, arcs);
  const ways = waysOf(arcs);
  const nodes = plan.steps.map((step) => nodeOf(step, ways.get(step.name) ?? [], plan.start, joins, reached));
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
  const structural = router.arcs.filter((arc) => arc.rule === undefined);
  const many = router.mode === 'inclusive' && structural.length > 1;
  return router.arcs.map((arc) => {
    const rule = arc.rule === undefined ? undefined : step.rules?.rules[arc.rule];
    const when = rule?.when ?? arc.when;
    // If no rule routes, the structural arcs are evaluated; of an exclusive router only the first match is taken.
    const last = arc.rule !== undefined || step.rules?.of === 'case' ? true : structural.indexOf(arc) > 0;
    return {
      from: step.name,
      to: arc.step,
      ...(when === undefined ? {} : { when: guardText(when.source) }),
      otherwise: !many && when === undefined && last,
      failure: arc.handlesFailure && !ON_SUCCESS.test(arc.when?.source ?? ''),
      fork: arc.rule === undefined ? many : router.arcs.filter((each) => each.rule === arc.rule).length > 1,
      ...compact({ rule: arc.rule }),
    };
  });
}

/** A guard that can only match a success, although it is also evaluated after a failure. */
const ON_SUCCESS = /\bevent\.name\s*==\s*['"](step|loop|call)\.done['"]/;

function nodeOf(
  step: StepPlan,
  arcs: readonly GraphArc[],
  start: string,
  joins: ReadonlySet<string>,
  reached: ReadonlySet<string>,
): GraphNode {
  const { loop } = step;
  const max = numberOf(loop?.maxInFlight);
  return {
    step: step.name,
    ...compact({ desc: step.desc }),
    kinds: [...new Set(kindsOf(step.tasks))],
    tasks: step.tasks.map((task) => task.name),
    ...(loop === undefined
      ? {}
      : { loop: { iterator: loop.iterator, mode: loop.mode, ...compact({ max }) } }),
    entry: step.name === start,
    end: (step.router?.arcs ?? []).length === 0,
    fork: arcs.some((arc) => arc.fork),
    join: joins.has(step.name),
    reachable: reached.has(step.name),
    ...(step.at[0] > 0 ? { line: step.at[0] } : {}),
  };
}

/** The kinds of the tools; for an iterator, those of its body. */
function kindsOf(tasks: readonly TaskPlan[]): string[] {
  return tasks.flatMap((task) => (task.body === undefined ? [task.kind] : kindsOf(task.body)));
}

/** A constant number; undefined for a template. */
function numberOf(value: PlanValue | undefined): number | undefined {
  return value !== undefined && 'const' in value && typeof value.const === 'number' ? value.const : undefined;
}

function reachedFrom(start: string, arcs: readonly GraphArc[]): Set<string> {
  const ways = waysOf(arcs);
  const reached = new Set<string>([start]);
  for (const step of reached) for (const { to } of ways.get(step) ?? []) if (to !== null) reached.add(to);
  return reached;
}
