/** The place where templates of rules and sinks are evaluated: the current call and its names. */
import { type JsonObject, type RulePlan, type RuleSet, type TaskPlan } from '../../../language/plan';
import { type Context, causeError } from '../batch';
import { type CallNames, DEFAULT_ATTEMPTS, EventView, lastOf, numberAt, type EnginePlace } from '../scope';
import {
  type Agenda,
  type FailureCause,
  type Frame,
  type Passage,
  type Repeats,
  type Suspended,
  type TaskResult,
} from '../state';

/** The call that rules refer to: the one in progress, or the one interrupted by a sink. */
interface Call {
  readonly attempt: number;
  readonly repeats?: Repeats;
  /** Defaults to the frame's current task. */
  readonly task?: TaskPlan;
}

/** The frame belongs to a loop's boundary, where there is no iterator. */
export function isBoundary(context: Context, frame: Frame): boolean {
  const { loop } = context.stepOf(frame);
  return frame.index === null && loop !== undefined && !context.outerOf(frame) && frame.claim === undefined;
}

/** The result of the frame's tasks, or the outcome that failed it. */
export function lastOutcomeOf(context: Context, frame: Frame): TaskResult | undefined {
  return lastOf(context, frame, frame.passage?.cause ?? null) ?? undefined;
}

/** The failure that the rules of this stage are about, also once a `result` has answered it. */
export function failureIn({ cause, answered }: Passage): FailureCause | null {
  return cause ?? answered ?? null;
}

/** Values that `event.name` equals, the canonical one first; `sees`: the rule handles failures. */
export function eventNames(context: Context, frame: Frame, sees: boolean): string[] {
  const { stage } = frame.passage!;
  const cause = failureIn(frame.passage!);
  if (stage === 'enter') return ['step.enter'];
  if (stage === 'call') return cause ? ['call.error', ...(sees ? ['call.done'] : [])] : ['call.done'];
  if (frame.index !== null) return ['step.exit'];
  if (cause) return ['step.failed', ...(sees ? ['step.exit'] : [])];
  if (isBoundary(context, frame)) return ['loop.done', 'step.exit', 'step.done'];
  return ['step.exit', 'step.done', ...(context.tasksOf(frame).length > 0 ? [] : ['call.done'])];
}

/** Place of a rule of the task or step. `acting`: for its actions rather than its guard. */
export function rulePlaceOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  rule: RulePlan,
  acting: boolean,
  call: Call = frame,
): EnginePlace {
  return of === 'task'
    ? taskPlace(context, frame, rule, call)
    : stepPlace(context, frame, rule, acting, call);
}

function stepPlace(
  context: Context,
  frame: Frame,
  rule: RulePlan,
  acting: boolean,
  about: Call,
): EnginePlace {
  const run = context.run(frame.run);
  const cause = failureIn(frame.passage!);
  const outcome = lastOutcomeOf(context, frame);
  const { attempt, page, count } = roundOf(context, frame, 'step', about);
  const own = isBoundary(context, frame) ? context.state.results.get(run.step) : undefined;
  const error = cause ? causeError(cause) : undefined;
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

/** Rules of a policy do not see the call; those of `retry` do, as do sinks that belong to no rule. */
function taskPlace(context: Context, frame: Frame, rule: RulePlan, call: Call): EnginePlace {
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
  const error = (outcome.outcome.error ?? undefined) as JsonObject | undefined;
  return { run: place.run, frame, outcome, error, call: names };
}

/** Stores a result once its outcome is final, and is not a candidate before. */
export function isStorage({ on }: RulePlan): boolean {
  return on[0] === 'store';
}

/** Its repetition is another page. */
export function turnsPages({ move }: RulePlan): boolean {
  return move?.do === 'retry' && move.overrides !== undefined;
}

/** Place of the running sink: that of the action it belongs to. */
export function sinkPlace(context: Context, frame: Frame): EnginePlace {
  const [sink, around] = [...frame.suspended!].reverse() as [Suspended, Suspended | undefined];
  const { of } = sink.agenda;
  const task = around ? context.sinkNamed(frame, around.name) : context.tasksOf(frame)[frame.pc]!;
  const rule = rulesOfTask(context, frame, of, task).rules[sink.rule]!;
  return rulePlaceOf(context, frame, of, rule, true, { ...sink, task });
}

/** The rules of the step, or of the task. */
export function rulesOfTask(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  task: TaskPlan = context.taskOf(frame),
): RuleSet {
  return (of === 'task' ? task : context.stepOf(frame)).rules!;
}

/** Attempts, pages and executions as rules count them: of the task, or of all tasks when a step has several. */
function roundOf(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  { attempt, repeats }: Call = frame,
): { attempt: number; page: number; count: number } {
  const all = of === 'step' && context.tasksOf(frame).length > 1;
  const { page, count } = (all ? frame.passage!.round : repeats) ?? { page: 1, count: 1 };
  return { attempt: all ? (frame.passage!.round?.attempt ?? 1) : attempt, page, count };
}

/** @throws EngineError when `attempts` is not a number */
export function attemptsOf(
  context: Context,
  { attempts, endless, at }: Extract<RulePlan['move'], { do: 'retry' }>,
  place: EnginePlace,
): number {
  return endless ? Infinity : numberAt(context, attempts, place, DEFAULT_ATTEMPTS, 'attempts', at);
}

/** Attempts (or pages) made. */
export function madeOf(context: Context, frame: Frame, of: Agenda['of'], pages: boolean): number {
  const { attempt, page } = roundOf(context, frame, of);
  return pages ? page : attempt;
}
