/** Where the templates of rules and sinks stand: the call at hand, and its names. */
import { type JsonObject, type Rule, type RuleSet, type TaskPlan } from '../../plan';
import { type Context, errorOf } from '../batch';
import { type CallNames, DEFAULT_ATTEMPTS, EventView, numberAt, type Place } from '../scope';
import { type Agenda, type Frame, ownValue, type Repeats, type Suspended, type TaskResult } from '../state';

/** A call that rules are about: the one under way, or the one that a sink interrupts. */
export interface Call {
  readonly attempt: number;
  readonly repeats?: Repeats;
  /** The frame's current task unless given. */
  readonly task?: TaskPlan;
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

/** The names `event.name` goes by, the canonical one first; `sees`: the rule looks at the failure. */
export function eventNames(context: Context, frame: Frame, sees: boolean): string[] {
  const { stage, cause } = frame.passage!;
  if (stage === 'enter') return ['step.enter'];
  if (stage === 'call') return cause ? ['call.error', ...(sees ? ['call.done'] : [])] : ['call.done'];
  if (frame.index !== null) return ['step.exit'];
  if (cause) return ['step.failed', ...(sees ? ['step.exit'] : [])];
  if (isBoundary(context, frame)) return ['loop.done', 'step.exit', 'step.done'];
  return ['step.exit', 'step.done', ...(context.tasksOf(frame).length > 0 ? [] : ['call.done'])];
}

/** Where a rule of the task or of the step stands. `acting`: its actions, not its guard. */
export function placeOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  rule: Rule,
  acting: boolean,
  call: Call = frame,
): Place {
  return of === 'task'
    ? taskPlace(context, frame, rule, call)
    : stepPlace(context, frame, rule, acting, call);
}

function stepPlace(context: Context, frame: Frame, rule: Rule, acting: boolean, about: Call): Place {
  const run = context.run(frame.run);
  const { cause } = frame.passage!;
  const outcome = outcomeOf(context, frame);
  const { attempt, page, count } = roundOf(context, frame, 'step', about);
  const own = isBoundary(context, frame) ? context.state.results.get(run.step) : undefined;
  const error = cause ? errorOf(cause) : undefined;
  const call: CallNames = { index: page > 1 || turnsPages(rule) ? page : attempt, count, acting };
  const fields = {
    step: run.step,
    status: cause ? 'error' : 'ok',
    error: error ?? null,
    step_run_id: run.id,
    iteration: frame.index ?? undefined,
  };
  const event = new EventView(eventNames(context, frame, rule.seesError === true), fields);
  const hidesResponse = cause !== null && !rule.readsFailure;
  return { run, frame, outcome, own, event, error, hidesResponse, call };
}

/** Rules of a policy see no call; those of `retry` do, and sinks that are no rule's. */
function taskPlace(context: Context, frame: Frame, rule: Rule, call: Call): Place {
  const task = call.task ?? context.taskOf(frame);
  const outcome = frame.results[task.name]!;
  const place = { run: context.run(frame.run), frame, outcome };
  const { attempt, page, count } = roundOf(context, frame, 'task', call);
  if (isStorage(rule)) {
    return { ...place, call: { index: page > 1 ? page : attempt, count, acting: true } };
  }
  const { move } = rule;
  if (move?.do !== 'retry' || task.rules!.of === 'policy') return place;
  const names: CallNames = {
    index: turnsPages(rule) ? page : attempt,
    count,
    acting: true,
    retry: { attempt, maxAttempts: () => attemptsOf(context, move, place) },
  };
  return { ...place, error: (outcome.outcome.error ?? undefined) as JsonObject | undefined, call: names };
}

/** Stores what stands when its outcome does, and is no candidate before. */
export function isStorage({ on }: Rule): boolean {
  return on[0] === 'store';
}

/** What it repeats is another page. */
export function turnsPages({ move }: Rule): boolean {
  return move?.do === 'retry' && move.overrides !== undefined;
}

/** The place of the sink under way: that of the action it stands in. */
export function sinkPlace(context: Context, frame: Frame): Place {
  const [sink, around] = [...frame.suspended!].reverse() as [Suspended, Suspended | undefined];
  const { of } = sink.agenda;
  const task = around ? context.sinkNamed(frame, around.name) : context.tasksOf(frame)[frame.pc]!;
  const rule = rulesOf(context, frame, of, task).rules[sink.rule]!;
  return placeOf(context, frame, of, rule, true, { ...sink, task });
}

/** The rules of the step, or of the task. */
export function rulesOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  task: TaskPlan = context.taskOf(frame),
): RuleSet {
  return (of === 'task' ? task : context.stepOf(frame)).rules!;
}

/** Attempts, pages and executions, as rules count them: of the task, or, where a step has several, of all of them. */
export function roundOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  { attempt, repeats }: Call = frame,
): { attempt: number; page: number; count: number } {
  const all = of === 'step' && context.tasksOf(frame).length > 1;
  const { page, count } = (all ? frame.passage!.round : repeats) ?? { page: 1, count: 1 };
  return { attempt: all ? (frame.passage!.round?.attempt ?? 1) : attempt, page, count };
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
  const { attempt, page } = roundOf(context, frame, of);
  return pages ? page : attempt;
}
