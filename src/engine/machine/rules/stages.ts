/**
 * The stages of a frame around its tasks: ENTER before them; CALL after them; then the step's writes, its end, and the
 * sinks that follow. In a loop, iterations go through CALL, their end and storage, and a separate frame represents the
 * boundary: ENTER before the iterations, the end of the step after them.
 */
import { type Action, type RuleHappening, type JsonObject, type RuleSet } from '../../../language/plan';
import { causeOf, type Context, type EventStatus, ofFrame } from '../batch';
import { frameResult, evaluateAt, withPayload, writeStep } from '../scope';
import {
  type FailureCause,
  type Frame,
  type Passage,
  type RunRules,
  type StepRun,
  table,
  type TaskResult,
} from '../state';
import { askFrameRules, moveName, storageOf } from './ask';
import { gathered } from './collect';
import { eventNames, isBoundary, lastOutcomeOf, rulePlaceOf } from './place';
import { bookAgenda, dropSinks } from './sink';

/** Opens the frame of ENTER if a rule needs it. */
export function enterStep(context: Context, run: StepRun): boolean {
  const { rules } = context.step(run.step);
  if (!answers(rules, 'enter')) return false;
  open(context, run, 'enter', null);
  return true;
}

/** Opens the frame of the end after a loop, or after a step whose start failed. False when it has already finished. */
export function exit(context: Context, run: StepRun, cause: FailureCause | null): boolean {
  const { rules } = context.step(run.step);
  if (!rules || run.rules?.exited) return false;
  run.stopping = null;
  // A failed loop routes nowhere unless a rule handled the failure.
  if (cause && run.rules && !run.rules.handled) delete run.rules.route;
  open(context, run, 'end', cause);
  return true;
}

function open(context: Context, run: StepRun, stage: RuleHappening, cause: FailureCause | null): void {
  const frame = context.newFrame(run, null, null);
  // At the end of a loop too, `args` has the inputs of the step.
  if (run.inputs) frame.args = run.inputs;
  frame.passage = { stage: null, cause, matched: [] };
  begin(context, frame, stage);
}

function answers(rules: RuleSet | undefined, happening: RuleHappening): boolean {
  return rules?.rules.some(({ on }) => on.includes(happening)) === true;
}

/**
 * A frame's tasks ended, or it was interrupted: true while its rules and sinks have work to do, after which it ends
 * again.
 */
export function outlives(context: Context, frame: Frame, cause: FailureCause | null): boolean {
  const run = context.run(frame.run);
  const { rules } = context.step(run.step);
  if (frame.parent !== null || !rules) return false;
  const passage = (frame.passage ??= { stage: null, cause: null, matched: [] });
  const { stage } = passage;
  if (stage === 'over') return false;
  if (run.stopping) {
    dropSinks(context, frame, run.stopping);
    passage.cause = run.stopping;
    if (frame.index !== null) {
      passage.stage = 'over';
      return false;
    }
    // The rules may inspect why the step was stopped, and their sinks may run: in a new frame, if the pipeline was stopped.
    run.stopping = null;
    if (stage === null) keepSinkVisits(context, frame);
    failStage(context, frame, passage.cause);
    return true;
  }
  passage.cause = cause;
  // A failure in the call's own sinks is not handled by the rules of the call.
  if (stage === 'call') failStage(context, frame, cause!);
  else begin(context, frame, 'call');
  return true;
}

/** A sink that runs again gets another id. The tasks themselves are over: no rule may repeat them. */
function keepSinkVisits(context: Context, frame: Frame): void {
  const visits = Object.assign(table<number>(), frame.visits);
  for (const { name } of context.tasksOf(frame)) delete visits[name];
  runRules(context, frame).kept = { visits, iter: {}, locals: {}, results: table() };
}

/** The stage's rules have finished: go to the next stage. */
export function stageOver(context: Context, frame: Frame): void {
  const passage = frame.passage!;
  if (passage.stage === 'enter') return context.enqueue({ op: 'begin', frame: frame.id });
  if (passage.gathered && !passage.result && !passage.cause) {
    passage.result = gathered(context, frame, passage.gathered, lastOutcomeOf(context, frame));
  }
  if (passage.stage === 'call') begin(context, frame, endOf(frame));
  else begin(context, frame, passage.stage === 'store' || passage.cause ? 'over' : 'store');
}

function endOf(frame: Frame): 'iteration' | 'end' {
  return frame.index === null ? 'end' : 'iteration';
}

/** The stage failed: the end follows with the failure, unless this was the end; a route chosen before is discarded. */
export function failStage(context: Context, frame: Frame, cause: FailureCause): void {
  const passage = frame.passage!;
  const { stage } = passage;
  passage.cause = cause;
  delete passage.result;
  delete passage.endsLoop;
  const { rules } = context.run(frame.run);
  if (rules && frame.index === null) {
    delete rules.route;
    delete rules.handled;
  }
  begin(context, frame, stage === 'enter' || stage === 'call' ? endOf(frame) : 'over');
}

/** Ends the frame as it is: no more rules are evaluated and nothing more is stored. */
export function endFrame(context: Context, frame: Frame): void {
  if (frame.index === null) Object.assign(runRules(context, frame), { exited: true, written: true });
  begin(context, frame, 'over');
}

function begin(context: Context, frame: Frame, stage: NonNullable<Passage['stage']>): void {
  const passage = frame.passage!;
  passage.stage = stage;
  delete passage.answered;
  if (stage === 'over') {
    return context.endFrame(frame, passage.cause);
  }
  const { rules } = context.stepOf(frame);
  if (stage === 'store') {
    const todo = isBoundary(context, frame) ? [] : storageOf(rules);
    return bookAgenda(context, frame, { of: 'step', todo, moves: [] });
  }
  if (stage === 'end') leave(context, frame, passage);
  if (!answers(rules, stage)) return stageOver(context, frame);
  askRules(context, frame, rules!, stage);
}

function askRules(context: Context, frame: Frame, set: RuleSet, happening: RuleHappening): void {
  const passage = frame.passage!;
  const decided = runRules(context, frame);
  emitCaseEvent(context, frame, 'case.started', 'in_progress', {});
  const answer = askFrameRules(context, {
    frame,
    of: 'step',
    set,
    happening,
    failed: passage.cause !== null,
    matched: [...passage.matched, ...((frame.index === null && decided.matched) || [])],
  });
  if ('cause' in answer) {
    const { cause, verdicts } = answer;
    emitCaseEvent(context, frame, 'case.evaluated', 'error', { rules: verdicts, error: cause as never });
    return failStage(context, frame, cause);
  }
  const { agenda, fired, acting, verdicts } = answer;
  const actions = [
    ...agenda.todo.map(([rule, action]) => set.rules[rule]!.actions[action]!.do),
    ...agenda.moves.map((rule) => moveName(set.rules[rule]!.move!)),
  ];
  emitCaseEvent(context, frame, 'case.evaluated', 'success', { rules: verdicts, fired: [...fired], actions });
  if (fired.length > 0) decided.fired = true;
  if (happening === 'call') passage.matched = [...fired];
  if (frame.index !== null) {
    decided.matched = [...new Set([...(decided.matched ?? []), ...fired])];
    if (acting.some((index) => set.rules[index]!.endLoop)) passage.endsLoop = true;
  }
  bookAgenda(context, frame, agenda);
}

/** The end of the step itself, which begins with its own writes. */
function leave(context: Context, frame: Frame, passage: Passage): void {
  const run = context.run(frame.run);
  const step = context.step(run.step);
  const rules = runRules(context, frame);
  rules.exited = true;
  if (passage.cause || rules.written) return;
  const loop = isBoundary(context, frame) ? context.state.results.get(run.step)! : null;
  try {
    if (rules.result) passage.result = resultAtEnd(context, frame, rules.result);
    const result = loop && !passage.result ? loop : frameResult(context, frame, null);
    writeStep(context, run, result);
    rules.written = true;
  } catch (error) {
    passage.cause = causeOf(error, `set of step ${step.name}`, step.at);
  }
}

/** What a rule of an iteration said the result of the step is: evaluated when all iterations have ended. */
function resultAtEnd(context: Context, frame: Frame, [index, position]: [number, number]): TaskResult {
  const rule = context.stepOf(frame).rules!.rules[index]!;
  const { value } = rule.actions[position] as Extract<Action, { do: 'result' }>;
  return withPayload(undefined, evaluateAt(context, value, rulePlaceOf(context, frame, 'step', rule, true)));
}

function runRules(context: Context, frame: Frame): RunRules {
  return (context.run(frame.run).rules ??= {});
}

function emitCaseEvent(
  context: Context,
  frame: Frame,
  type: 'case.started' | 'case.evaluated',
  status: EventStatus,
  payload: JsonObject,
): void {
  if (!context.emit) return;
  const fields = { event: eventNames(context, frame, false)[0]!, frame: frame.id, ...payload };
  context.emit(type, context.run(frame.run).step, status, fields, ofFrame(frame));
}
