/**
 * The stages of a frame around its tasks: ENTER before them; CALL when they ended; the step's writes, EXIT and the
 * step's sinks after that (S5 §1.2; D15, D18). In a loop, iterations pass CALL, EXIT and sinks, and a frame of its own
 * stands for the boundary: ENTER before the iterations, EXIT behind them.
 */
import { dropAsides } from './aside';
import { isBoundary, outcomeOf } from './call-place';
import { withPayload } from './call-views';
import { ask } from './case';
import { type Passage, type RunRules, type Stage } from './case-state';
import { containerOf, read } from './collect';
import { type Context } from './context';
import { causeOf } from './failure';
import { tasksOf } from './frame';
import { newFrame } from './new-frame';
import { frameResult, writeStep } from './result';
import { type FailureCause, type Frame, type StepRun } from './state';

/** Opens the frame of ENTER, if a rule asks for it. */
export function enter(context: Context, run: StepRun): boolean {
  const { case: plan } = context.step(run.step);
  if (!plan?.rules.some((rule) => rule.onEnter)) return false;
  const frame = newFrame(context, run, null, null);
  frame.passage = { stage: null, cause: null, fired: [] };
  begin(context, frame, 'enter');
  return true;
}

/** Opens the frame of EXIT behind a loop, or behind a step whose start failed. False when EXIT is over already. */
export function exit(context: Context, run: StepRun, cause: FailureCause | null): boolean {
  if (!context.step(run.step).case || run.rules?.exited) return false;
  run.stopping = null;
  const frame = newFrame(context, run, null, null);
  frame.passage = { stage: null, cause, fired: [] };
  begin(context, frame, 'exit');
  return true;
}

/**
 * A frame's tasks ended, or it was interrupted: true while its rules and sinks have something to do, after which it
 * ends again.
 */
export function outlives(context: Context, frame: Frame, cause: FailureCause | null): boolean {
  const run = context.run(frame.run);
  const step = context.step(run.step);
  if (frame.parent !== null || !(step.case || step.sinks)) return false;
  const passage = (frame.passage ??= { stage: null, cause: null, fired: [] });
  if (passage.stage === 'end') return false;
  if (run.stopping) {
    dropAsides(context, frame, run.stopping);
    const isOver = frame.index !== null || passage.stage === 'exit' || passage.stage === 'sinks';
    passage.cause = run.stopping;
    if (isOver || !step.case) {
      passage.stage = 'end';
      return false;
    }
    // The rules may look at why the step was stopped, and their sinks may run.
    run.stopping = null;
    failStage(context, frame, passage.cause);
    return true;
  }
  passage.cause = cause;
  // What failed at the call's own sinks is not for the rules of the call.
  if (passage.stage === 'call') failStage(context, frame, cause!);
  else begin(context, frame, 'call');
  return true;
}

const AFTER: Readonly<Record<Exclude<Stage, 'enter' | 'end'>, Stage>> = {
  call: 'exit',
  exit: 'sinks',
  sinks: 'end',
};

/** The rules or sinks of the stage have done all: on to the next. */
export function stageOver(context: Context, frame: Frame): void {
  const passage = frame.passage!;
  const stage = passage.stage as Exclude<Stage, 'end'>;
  if (stage === 'enter') return context.enqueue({ op: 'begin', frame: frame.id });
  if (passage.gathered && !passage.result && !passage.cause) {
    const value = read(containerOf(context, frame, passage.gathered.scope), passage.gathered.path) ?? null;
    passage.result = withPayload(outcomeOf(context, frame), value);
  }
  begin(context, frame, AFTER[stage]);
}

/** The stage failed: EXIT follows with the failure, unless it was EXIT or later; a route chosen before is off. */
export function failStage(context: Context, frame: Frame, cause: FailureCause): void {
  const passage = frame.passage!;
  const stage = passage.stage;
  passage.cause = cause;
  delete passage.result;
  const { rules } = context.run(frame.run);
  if (rules && (frame.index === null || passage.breaks)) {
    delete rules.route;
    delete rules.handled;
  }
  delete passage.breaks;
  begin(context, frame, stage === 'exit' || stage === 'sinks' ? 'end' : 'exit');
}

/** Ends the frame as it is: neither EXIT nor sinks. */
export function endFrame(context: Context, frame: Frame): void {
  if (frame.index === null) {
    const rules = rulesOf(context, frame);
    rules.exited = true;
    rules.written = true;
  }
  begin(context, frame, 'end');
}

function begin(context: Context, frame: Frame, stage: Stage): void {
  const passage = frame.passage!;
  passage.stage = stage;
  const step = context.step(context.run(frame.run).step);
  if (stage === 'end') {
    return context.enqueue({ op: 'frameEnded', frame: frame.id, cause: passage.cause });
  }
  if (stage === 'sinks') {
    const sinks = passage.cause || isBoundary(context, frame) ? [] : (step.sinks ?? []);
    frame.agenda = { of: 'step', todo: sinks.map((sink) => ({ sink })), moves: [] };
    return context.enqueue({ op: 'agenda', frame: frame.id, cause: null });
  }
  if (stage === 'exit' && frame.index === null) leave(context, frame, passage);
  if (!step.case || (stage === 'call' && tasksOf(context, frame).length === 0))
    return stageOver(context, frame);
  const agenda = ask(context, frame, step.case);
  if (!('of' in agenda)) return failStage(context, frame, agenda);
  frame.agenda = agenda;
  context.enqueue({ op: 'agenda', frame: frame.id, cause: null });
}

/** EXIT of the step itself: its own writes come first. */
function leave(context: Context, frame: Frame, passage: Passage): void {
  const run = context.run(frame.run);
  const step = context.step(run.step);
  const rules = rulesOf(context, frame);
  rules.exited = true;
  if (passage.cause || rules.written) return;
  const result = isBoundary(context, frame)
    ? context.state.results.get(run.step)!
    : frameResult(context, frame, null);
  try {
    writeStep(context, run, result);
    rules.written = true;
  } catch (error) {
    passage.cause = causeOf(error, `set of step ${step.name}`, step.at);
  }
}

function rulesOf(context: Context, frame: Frame): RunRules {
  const run = context.run(frame.run);
  return (run.rules ??= {});
}
