/** What rules decide, as events tell of it: nothing twice, and nothing lost in silence. */
import { type EngineEvent } from '../../src/engine/machine';
import {
  type Plan,
  type RulePlan,
  type RuleSet,
  type StepPlan,
  taskFrameIn,
  type TaskPlan,
} from '../../src/language/plan';

interface Evaluated {
  readonly event: string;
  readonly frame: string;
  readonly fired: readonly number[];
  readonly actions: readonly string[];
}

const MOVES = ['retry', 'call', 'next', 'fail', 'skip'];

/** The violations found, in words; `complete`: what was begun came to its end. */
export function checkRules(plan: Plan, events: readonly EngineEvent[], complete: boolean): string[] {
  return [
    ...asksOnce(events),
    ...losesNoIteration(events),
    ...firesOnce(plan, events),
    ...storesPages(plan, events, complete),
  ];
}

const evaluations = (events: readonly EngineEvent[]): (EngineEvent & { payload: Evaluated & object })[] =>
  events.filter(({ event_type, status }) => event_type === 'case.evaluated' && status === 'success') as never;

/** A rule that held at the call is not asked at the end, one that held in an iteration not at the boundary. */
function asksOnce(events: readonly EngineEvent[]): string[] {
  const atTheCall = new Map<string, readonly number[]>();
  const inIterations = new Map<string, Set<number>>();
  const found: string[] = [];
  for (const { payload, iteration, step_run_id = '' } of evaluations(events)) {
    const { event, frame, fired } = payload;
    if (event === 'step.enter') continue;
    const isCall = event.startsWith('call.');
    const held = new Set([
      ...(isCall ? [] : (atTheCall.get(frame) ?? [])),
      ...(iteration === undefined ? (inIterations.get(step_run_id) ?? []) : []),
    ]);
    const again = fired.filter((rule) => held.has(rule));
    if (again.length > 0) found.push(`rule ${again.join(', ')} of ${frame} held twice, again at ${event}`);
    // What is called again is asked about anew.
    const move = payload.actions.find((action) => MOVES.includes(action));
    if (move === 'retry' || move === 'call') atTheCall.set(frame, []);
    else if (isCall) atTheCall.set(frame, fired);
    if (iteration === undefined) continue;
    const all = inIterations.get(step_run_id) ?? new Set();
    for (const rule of fired) all.add(rule);
    inIterations.set(step_run_id, all);
  }
  return found;
}

/** Iterations of a step's loop that never started, or were cancelled, are noted; no other loop has a note. */
function losesNoIteration(events: readonly EngineEvent[]): string[] {
  const loops = new Map<string, { total: number; done: number; noted: boolean }>();
  const found: string[] = [];
  for (const { event_type, step_run_id = '', task_run_id, status, payload } of events) {
    const loop = loops.get(step_run_id);
    if (event_type === 'loop.started' && task_run_id === undefined) {
      loops.set(step_run_id, { total: Number(payload['total'] ?? 0), done: 0, noted: false });
    } else if (loop && event_type === 'task.done' && /#\d+\{\d+\}/.test(task_run_id ?? '')) {
      // A claim: its rows are as many iterations.
      const { outcome } = payload as { outcome?: { result?: { rows?: unknown[] } } };
      loop.total += outcome?.result?.rows?.length ?? 0;
    } else if (ENDED.has(event_type) && task_run_id === undefined && status !== 'cancelled') loop!.done++;
    else if (event_type === 'step.note' && payload['code'] === 'LOOP_ENDED_EARLY') loop!.noted = true;
    else if (loop && ['step.done', 'step.failed', 'step.skipped'].includes(event_type)) {
      const left = loop.total - loop.done;
      if (left > 0 !== loop.noted)
        found.push(`${step_run_id}: ${left} iterations without an end, noted: ${loop.noted}`);
    }
  }
  return found;
}

const ENDED: ReadonlySet<string> = new Set(['loop.iteration.done', 'loop.iteration.failed']);

/** Each target that iterations or the boundary of a loop chose fires once, and all of them do if the step is done. */
function firesOnce(plan: Plan, events: readonly EngineEvent[]): string[] {
  const chosen = new Map<string, Map<string, Set<string | null>>>();
  const fired = new Map<string, readonly number[]>();
  const ends: { run: string; step: StepPlan }[] = [];
  const loops = new Set<string>();
  for (const event of events) {
    const { event_type, step_run_id = '', entity_id, payload } = event;
    const step = plan.steps.find(({ name }) => name === entity_id);
    if (event_type === 'loop.started' && event.task_run_id === undefined) loops.add(step_run_id);
    // A sink that fails fails the iteration, which then goes nowhere.
    if (event_type === 'sink.processed' && event.status === 'error')
      chosen.get(step_run_id)?.delete(taskFrameIn(String(payload['sink'])));
    // At ENTER the loop has not begun: what is chosen there, all of it, is no iteration's.
    if (!step || !loops.has(step_run_id)) continue;
    if (event_type === 'next.selected') fired.set(step_run_id, payload['arcs'] as number[]);
    if (event_type === 'step.done') ends.push({ run: step_run_id, step });
    if (event_type !== 'case.evaluated' || event.status !== 'success') continue;
    const { fired: rules, actions, frame, event: happening } = payload as unknown as Evaluated;
    // If the loop fails, no choice of its iterations fires, also if a rule recovers the step.
    if (happening === 'step.failed') chosen.delete(step_run_id);
    if (happening === 'step.enter' || actions.find((one) => MOVES.includes(one)) !== 'next') continue;
    const frames = chosen.get(step_run_id) ?? new Map<string, Set<string | null>>();
    const targets = frames.get(frame) ?? new Set();
    for (const { move } of rules.map((index) => step.rules!.rules[index]!)) {
      if (move?.do === 'next') for (const arc of move.arcs) targets.add(step.router!.arcs[arc]!.step);
    }
    chosen.set(step_run_id, frames.set(frame, targets));
  }
  return ends.flatMap(({ run, step }) => {
    const arcs = (fired.get(run) ?? []).map((index) => step.router!.arcs[index]!);
    const targets = arcs.filter(({ rule }) => rule !== undefined).map((arc) => arc.step);
    const twice =
      targets.length === new Set(targets).size ? [] : [`${run} fires a target twice: ${targets.join(', ')}`];
    const all = new Set([...(chosen.get(run)?.values() ?? [])].flatMap((each) => [...each]));
    const lost = [...all].filter((target) => !targets.includes(target));
    return lost.length === 0 ? twice : [...twice, `${run} chose ${lost.join(', ')} and did not go there`];
  });
}

/** Every successful page is gathered once and given to each sink once, by the policy that matches or asked for it. */
function storesPages(plan: Plan, events: readonly EngineEvent[], complete: boolean): string[] {
  const tasks = new Map(plan.steps.flatMap(tasksOf).map((task) => [task.name, task]));
  const stored = new Map<string, number>();
  for (const { event_type, parent_id, entity_id, payload } of events) {
    const isGathered = event_type === 'ctx.patched' && payload['collect'] !== undefined;
    if (!isGathered && (event_type !== 'sink.started' || payload['of'] !== 'task')) continue;
    const into = isGathered && (payload['collect'] as { into: string }).into;
    const key = `${parent_id} ${isGathered ? `collect ${into}` : entity_id}`;
    stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  // Of a task that a time limit stopped as it ended, the outcome is recorded, and nothing follows from it.
  const stopped = new Set(
    events.flatMap(({ step_run_id, payload }) =>
      (payload['error'] as { code?: string } | undefined)?.code === 'STEP_TIMEOUT' ? [step_run_id] : [],
    ),
  );
  const followed = new Set(
    events.flatMap(({ event_type, task_run_id }) =>
      event_type === 'task.directive' || event_type === 'task.retrying' ? [task_run_id] : [],
    ),
  );
  return events.flatMap(({ event_type, entity_id, task_run_id, step_run_id }) => {
    const task = tasks.get(entity_id);
    const policy = event_type === 'task.done' ? pagesOf(task?.rules) : undefined;
    if (!policy) return [];
    const ways = policy.actions.flatMap((action) =>
      action.do === 'collect' && action.into.scope === 'ctx'
        ? [`collect ${action.into.path.join('.')}`]
        : action.do === 'sink'
          ? [action.task]
          : [],
    );
    return ways.flatMap((way) => {
      const times = stored.get(`${task_run_id} ${way}`) ?? 0;
      const own = task!.rules!.rules.filter(({ on }) => on[0] === 'store').flatMap(({ actions }) => actions);
      const most = 1 + (own.some((one) => one.do === 'sink' && one.task === way) ? 1 : 0);
      const isCutOff = stopped.has(step_run_id) && !followed.has(task_run_id);
      const isRight = times <= most && (!complete || isCutOff || times >= 1);
      return isRight ? [] : [`the page of ${task_run_id} went to ${way} ${times} times`];
    });
  });
}

function tasksOf(step: {
  readonly tasks?: readonly TaskPlan[];
  readonly sinks?: readonly TaskPlan[];
}): TaskPlan[] {
  const inside = (task: TaskPlan): TaskPlan[] => [task, ...(task.body ?? []).flatMap(inside)];
  return [...(step.tasks ?? []), ...(step.sinks ?? [])].flatMap(inside);
}

function pagesOf(set: RuleSet | undefined): RulePlan | undefined {
  if (set?.of !== 'retry') return undefined;
  return set.rules.find(({ move }) => move?.do === 'retry' && move.overrides !== undefined);
}
