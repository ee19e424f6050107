/** The moves of matched rules, when their actions are done: `next`, `call`, `retry`, `skip`, `fail` (S5 §3; D18). */
import { type Action, type CaseRule } from '../plan';
import { casePlace, isBoundary, roundOf } from './call-place';
import { type Agenda } from './case-state';
import { type Context } from './context';
import { causeOf } from './failure';
import { tasksOf } from './frame';
import { taskRunBase, taskRunId } from './ids';
import { changesOf, delayOf, repeatPipeline, repeatTask } from './repeat';
import { failStage, endFrame, stageOver } from './stages';
import { type Place } from './scope';
import { type FailureCause, type Frame } from './state';
import { valueAt } from './values';

type Move<Do extends Action['do']> = Extract<Action, { do: Do }>;

/** Takes the first move of the agenda; a `next` takes the arcs of the others with it. Without any, the stage is over. */
export function takeMoves(context: Context, frame: Frame, agenda: Agenda): void {
  const { rules } = context.step(context.run(frame.run).step).case!;
  const [first] = agenda.moves;
  if (!first) return stageOver(context, frame);
  const rule = rules[first[0]]!;
  const move = rule.actions[first[1]]!;
  try {
    const place = casePlace(context, frame, rule, true);
    switch (move.do) {
      case 'next':
        return next(context, frame, first[0], rule, arcsOf(rules, agenda));
      case 'skip':
        return skip(context, frame, move.reason === undefined ? null : valueAt(context, move.reason, place));
      case 'fail':
        return failStage(context, frame, failure(context, frame, rule, move, place));
      case 'call':
      case 'retry':
        return repeat(context, frame, move, place);
    }
  } catch (error) {
    failStage(context, frame, causeOf(error, `${move.do} of step ${context.run(frame.run).step}`, move.at));
  }
}

function arcsOf(rules: readonly CaseRule[], { moves }: Agenda): number[] {
  const arcs = moves.flatMap(([rule, action]) => {
    const move = rules[rule]!.actions[action]!;
    return move.do === 'next' ? move.arcs : [];
  });
  return [...new Set(arcs)];
}

/** The first choice of a route stands. In an iteration it ends the loop; at ENTER the tool never starts. */
function next(context: Context, frame: Frame, index: number, rule: CaseRule, arcs: number[]): void {
  const run = context.run(frame.run);
  const decided = (run.rules ??= {});
  const passage = frame.passage!;
  if (!decided.route) {
    decided.route = arcs;
    if (passage.cause) decided.handled = { rule: index, at: rule.at };
    if (frame.index !== null) passage.breaks = true;
  }
  if (passage.stage === 'enter') endFrame(context, frame);
  else stageOver(context, frame);
}

function skip(context: Context, frame: Frame, reason: ReturnType<typeof valueAt>): void {
  const run = context.run(frame.run);
  const passage = frame.passage!;
  passage.cause = null;
  passage.skipped = { reason };
  delete passage.result;
  if (frame.index === null) (run.rules ??= {}).skipped = { reason };
  endFrame(context, frame);
}

function failure(
  context: Context,
  frame: Frame,
  rule: CaseRule,
  move: Move<'fail'>,
  place: Place,
): FailureCause {
  const told = move.message === undefined ? null : valueAt(context, move.message, place);
  return {
    kind: 'engine',
    code: 'RULE_FAIL',
    message:
      told === null
        ? `a rule of case ended the step: ${rule.when?.source ?? 'else'}`
        : typeof told === 'string'
          ? told
          : JSON.stringify(told),
    iteration: frame.index ?? undefined,
    at: move.at,
  };
}

/** Calls the tool again, if it was called: it was not before it started, nor at the boundary of a loop. */
function repeat(context: Context, frame: Frame, move: Move<'call'> | Move<'retry'>, place: Place): void {
  const passage = frame.passage!;
  const tasks = tasksOf(context, frame);
  const wasCalled = tasks[frame.pc] && Object.hasOwn(frame.visits, tasks[frame.pc]!.name);
  if (!wasCalled || isBoundary(context, frame)) return stageOver(context, frame);
  const changes = changesOf(context, move.overrides, place);
  const { attempt, page } = roundOf(context, frame);
  const spec = move.do === 'retry' ? move : { overrides: move.overrides, at: move.at };
  const delay = delayOf(context, spec, changes ? page : attempt, place);
  said(context, frame, move, changes ? page : attempt, delay);
  const again = tasks.length > 1 ? repeatPipeline : repeatTask;
  passage.stage = null;
  passage.cause = null;
  passage.fired = [];
  delete passage.result;
  const rules = context.run(frame.run).rules;
  if (frame.index === null && rules) delete rules.exited;
  const cause = again(context, frame, changes, delay);
  if (!cause) return;
  // A runaway is no failure for rules, which would go on with it.
  passage.cause = cause;
  endFrame(context, frame);
}

function said(
  context: Context,
  frame: Frame,
  move: Move<'call'> | Move<'retry'>,
  index: number,
  delay: number,
): void {
  const { name } = tasksOf(context, frame)[frame.pc]!;
  const made = taskRunId(taskRunBase(frame.id, name, frame.visits[name]!), frame.attempt);
  const common = {
    entity_type: 'retry',
    entity_id: name,
    step_run_id: frame.run,
    task_run_id: made,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    parent_id: made,
  } as const;
  context.emit?.({ ...common, event_type: 'retry.started', status: 'in_progress', payload: { of: move.do } });
  context.emit?.({
    ...common,
    event_type: 'retry.processed',
    status: 'success',
    payload: { of: move.do, verdict: 'repeat', at: [...move.at], index, delay_s: delay },
  });
}
