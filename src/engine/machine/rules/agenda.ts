/** Carries out the actions of matching rules one after the other; a sink suspends the rest until it has ended. */
import { type Action, type Json } from '../../../language/plan';
import { assignAll, assignmentTargets, evaluateAt, withPayload } from '../scope';
import { causeOf, type Context, ofFrame } from '../batch';
import { type Agenda, type FailureCause, type Frame } from '../state';
import { collect } from './collect';
import { moveStep, moveTask, repeats, stand } from './moves';
import { failureIn, lastOutcomeOf, rulePlaceOf, rulesOfTask } from './place';
import { leaveTask, startSink } from './sink';
import { failStage } from './stages';

/** Starts an agenda. */
export function beginAgenda(context: Context, frame: Frame, agenda: Agenda): void {
  frame.agenda = agenda;
  pursue(context, frame, null);
}

/** Continues the frame's agenda; with `failure` (of one of its sinks), abandons it. */
export function pursue(context: Context, frame: Frame, failure: FailureCause | null): void {
  const stopping = context.stoppingOf(frame);
  if (stopping) return context.endFrame(frame, stopping);
  const agenda = frame.agenda!;
  let cause = failure;
  try {
    while (!cause && agenda.todo.length > 0) {
      if (act(context, frame, agenda, ...agenda.todo.shift()!)) return;
    }
  } catch (error) {
    const { step } = context.run(frame.run);
    cause = causeOf(error, `actions of step ${step}`, context.step(step).at);
  }
  delete frame.agenda;
  if (cause) return abandon(context, frame, agenda, cause);
  if (agenda.of === 'task') {
    return agenda.standing ? stand(context, frame, agenda.standing) : moveTask(context, frame, agenda);
  }
  moveStep(context, frame, agenda);
}

/** A failure here concerns only rules that handle the step's failure: the rules of the call are not evaluated. */
function abandon(context: Context, frame: Frame, { of }: Agenda, cause: FailureCause): void {
  if (of === 'step') return failStage(context, frame, cause);
  if (!frame.suspended && frame.parent === null) {
    (frame.passage ??= { stage: null, cause: null, matched: [] }).stage = 'call';
  }
  leaveTask(context, frame, { task: context.taskOf(frame).name, ...cause });
}

/** Carries out one action. True when the agenda has to wait for it. */
function act(context: Context, frame: Frame, agenda: Agenda, index: number, position: number): boolean {
  const rule = rulesOfTask(context, frame, agenda.of).rules[index]!;
  const action = rule.actions[position]!;
  if (action.do === 'sink') return startSink(context, frame, action.task, index);
  const place = rulePlaceOf(context, frame, agenda.of, rule, true);
  switch (action.do) {
    case 'set':
      assignAll(context, action.set, place, assignmentTargets(context, frame));
      break;
    case 'collect':
      collect(context, action, place);
      if (action.isResult) gathersAt(frame, agenda.of, action);
      break;
    case 'result':
      setResult(context, frame, { agenda, of: [index, position] }, () =>
        evaluateAt(context, action.value, place),
      );
      break;
    case 'log': {
      // Evaluated even when no events are requested: a message that cannot be evaluated must fail in every case.
      const payload = { message: evaluateAt(context, action.message, place), at: [...action.at] };
      const { step, id } = context.run(frame.run);
      context.emit?.('step.log', step, 'success', payload, ofFrame(frame, frame.taskRunId ?? id));
    }
  }
  return false;
}

/** In a loop it is that of the step, unless it stands in for a call that failed. */
function setResult(
  context: Context,
  frame: Frame,
  { agenda, of }: { agenda: Agenda; of: [rule: number, action: number] },
  value: () => Json,
): void {
  const passage = frame.passage!;
  if (frame.index === null || failureIn(passage)) {
    const call = lastOutcomeOf(context, frame);
    const result = withPayload(call, value());
    passage.result = call ? { ...result, call: call.call ?? call } : result;
    if (passage.cause) passage.answered = passage.cause;
    passage.cause = null;
    return;
  }
  // A call that is repeated decides nothing, as without a loop.
  if (repeats(context, frame, agenda)) return;
  // Of several rules the first, whichever iteration settled first.
  const decided = (context.run(frame.run).rules ??= {});
  if (!decided.result || of[0] < decided.result[0]) decided.result = of;
}

function gathersAt(frame: Frame, of: Agenda['of'], { into }: Extract<Action, { do: 'collect' }>): void {
  if (of === 'step') frame.passage!.gathered = into;
  else (frame.repeats ??= { page: 1, count: 1 }).gathered = into;
}
