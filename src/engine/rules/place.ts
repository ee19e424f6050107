/** Where the templates of rules and sinks stand: the call at hand, and its names. */
import { type JsonObject, type Rule, type RuleSet, type TaskPlan } from '../../plan';
import { type Context, errorOf } from '../batch';
import { type CallNames, DEFAULT_ATTEMPTS, EventView, loopView, numberAt, type Place } from '../scope';
import { type Agenda, type Frame, ownValue, type Repeats, type Suspended, type TaskResult } from '../state';

/** A call that rules are about: the one under way, or the one that a sink interrupts. */
export interface Call {
  readonly attempt: number;
  readonly repeats?: Repeats;
}

/** The frame is that of a loop's boundary, where no iterator exists. */
export function isBoundary(context: Context, frame: Frame): boolean {
  const { loop } = context.stepOf(frame);
  return frame.index === null && loop !== undefined && context.outerOf(frame) === null;
}

/** What the frame's tasks came to: its result, or the outcome that failed it. */
export function outcomeOf(context: Context, frame: Frame): TaskResult | undefined {
  const { passage } = frame;
  if (passage?.result) return passage.result;
  const name = passage?.cause ? context.tasksOf(frame)[frame.pc]?.name : frame.last;
  return name ? ownValue(frame.results, name) : undefined;
}

/** The names `event.name` goes by, the canonical one first; `sees`: the rule looks at the failure (D15). */
export function eventNames(context: Context, frame: Frame, sees: boolean): string[] {
  const { stage, cause } = frame.passage!;
  if (stage === 'enter') return ['step.enter'];
  if (stage === 'call') return cause ? ['call.error', ...(sees ? ['call.done'] : [])] : ['call.done'];
  if (frame.index !== null) return ['step.exit'];
  if (cause) return ['step.failed', ...(sees ? ['step.exit'] : [])];
  if (isBoundary(context, frame)) return ['loop.done', 'step.exit', 'step.done'];
  return ['step.exit', 'step.done', ...(context.tasksOf(frame).length > 0 ? [] : ['call.done'])];
}

/** Where the rules of `agenda` stand. `acting`: their actions, not their guards. */
export function placeOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  task: TaskPlan,
  rule: Rule,
  acting: boolean,
  call: Call = frame,
): Place {
  return of === 'task'
    ? taskPlace(context, frame, task, rule, call)
    : stepPlace(context, frame, rule, acting, call);
}

function stepPlace(context: Context, frame: Frame, rule: Rule, acting: boolean, call: Call): Place {
  const run = context.run(frame.run);
  const passage = frame.passage!;
  const { cause } = passage;
  const outcome = outcomeOf(context, frame);
  const round = roundOf(context, frame, call);
  const { move } = rule;
  const turnsPages = round.page > 1 || (move?.do === 'retry' && move.overrides !== undefined);
  const own = isBoundary(context, frame) ? context.state.results.get(run.step) : undefined;
  const error = cause ? errorOf(cause) : undefined;
  const names: CallNames = {
    task: outcome,
    index: turnsPages ? round.page : round.attempt,
    count: round.count,
    error,
    hidesResponse: cause !== null && !rule.readsFailure,
    ...(own && passage.stage !== 'enter' ? { whole: loopView(own) } : {}),
    acting,
  };
  const fields = {
    step: run.step,
    status: cause ? 'error' : 'ok',
    error: error ?? null,
    step_run_id: run.id,
    iteration: frame.index ?? undefined,
  };
  const event = new EventView(eventNames(context, frame, rule.seesError === true), fields);
  return { run, frame, outcome, own, event, call: names };
}

function taskPlace(context: Context, frame: Frame, task: TaskPlan, rule: Rule, call: Call): Place {
  const outcome = frame.results[task.name]!;
  const place = { run: context.run(frame.run), frame, outcome };
  const { move } = rule;
  if (move?.do !== 'retry') return isStorage(rule) ? { ...place, call: storing(outcome, call) } : place;
  if (task.rules!.of === 'policy') return place;
  const names: CallNames = {
    task: outcome,
    index: move.overrides ? (call.repeats?.page ?? 1) : call.attempt,
    count: call.repeats?.count ?? 1,
    error: (outcome.outcome.error ?? undefined) as JsonObject | undefined,
    acting: true,
    retry: { attempt: call.attempt, maxAttempts: () => attemptsOf(context, move, place) },
  };
  return { ...place, call: names };
}

/** Sinks of a task that are no rule's: its outcome is at hand. */
function storing(task: TaskResult, { attempt, repeats }: Call): CallNames {
  const { page, count } = repeats ?? { page: 1, count: 1 };
  return { task, index: page > 1 ? page : attempt, count, acting: true };
}

function isStorage(rule: Rule): boolean {
  return rule.on.includes('store');
}

/** The place of the sink under way: that of the action it stands in. */
export function sinkPlace(context: Context, frame: Frame): Place {
  const [sink, around] = [...frame.suspended!].reverse() as [Suspended, Suspended | undefined];
  const task = around ? context.sinkNamed(frame, around.name) : context.tasksOf(frame)[frame.pc]!;
  const rule = rulesOf(context, frame, sink.agenda.of, task).rules[sink.rule]!;
  return placeOf(context, frame, sink.agenda.of, task, rule, true, sink);
}

/** The rules of the step, or of the task. */
export function rulesOf(context: Context, frame: Frame, of: Agenda['of'], task: TaskPlan): RuleSet {
  return (of === 'task' ? task.rules : context.stepOf(frame).rules)!;
}

/** Attempts, pages and executions that rules of the step count: of the task, or, where there are several, of all. */
export function roundOf(
  context: Context,
  frame: Frame,
  { attempt, repeats }: Call = frame,
): { attempt: number; page: number; count: number } {
  if (context.tasksOf(frame).length > 1) return frame.passage!.round ?? { attempt: 1, page: 1, count: 1 };
  return { attempt, page: repeats?.page ?? 1, count: repeats?.count ?? 1 };
}

/** @throws EngineError when `attempts` is no number */
export function attemptsOf(
  context: Context,
  { attempts, endless, at }: Extract<Rule['move'], { do: 'retry' }>,
  place: Place,
): number {
  return endless ? Infinity : numberAt(context, attempts, place, DEFAULT_ATTEMPTS, 'attempts', at);
}

/** Attempts made, or pages. */
export function madeOf(context: Context, frame: Frame, of: Agenda['of'], pages: boolean): number {
  if (of === 'task') return pages ? (frame.repeats?.page ?? 1) : frame.attempt;
  const { attempt, page } = roundOf(context, frame);
  return pages ? page : attempt;
}
