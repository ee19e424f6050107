/** Does the actions of a frame's agenda, one after the other; a sink suspends the rest until it ended (S5 §3). */
import { type Action, type TaskPlan } from '../plan';
import { leaveTask, startAside } from './aside';
import { assign, type Targets } from './assign';
import { agendaPlace, outcomeOf } from './call-place';
import { withPayload } from './call-views';
import { type Agenda, type Target } from './case-state';
import { collect } from './collect';
import { type Context } from './context';
import { causeOf } from './failure';
import { stoppingOf, taskOf } from './frame';
import { takeMoves } from './moves';
import { afterPolicy, giveUp } from './retry';
import { failStage, stageOver } from './stages';
import { type Place } from './scope';
import { type FailureCause, type Frame } from './state';
import { valueAt } from './values';

/** Goes on with the agenda; with `failure`, the failure of one of its sinks, gives it up. */
export function pursue(context: Context, frame: Frame, failure: FailureCause | null): void {
  const stopping = stoppingOf(context, frame);
  if (stopping) return context.enqueue({ op: 'frameEnded', frame: frame.id, cause: stopping });
  const agenda = frame.agenda!;
  let cause = failure;
  try {
    while (!cause && agenda.todo.length > 0) {
      const next = agenda.todo.shift()!;
      if ('sink' in next ? startAside(context, frame, next.sink, null) : act(context, frame, agenda, next)) {
        return;
      }
    }
  } catch (error) {
    const { step } = context.run(frame.run);
    cause = causeOf(error, `actions of step ${step}`, context.step(step).at);
  }
  delete frame.agenda;
  if (cause) abandon(context, frame, agenda, cause);
  else finish(context, frame, agenda);
}

function finish(context: Context, frame: Frame, agenda: Agenda): void {
  switch (agenda.of) {
    case 'retry':
      return afterPolicy(context, frame, agenda);
    case 'task':
      return context.enqueue({ op: 'conclude', frame: frame.id, stored: true });
    case 'case':
      return takeMoves(context, frame, agenda);
    case 'step':
      return stageOver(context, frame);
  }
}

/** What failed is unhandled but for what looks at the step's failure: the rules of the call are not asked (D18). */
function abandon(context: Context, frame: Frame, agenda: Agenda, cause: FailureCause): void {
  if (agenda.of === 'case' || agenda.of === 'step') return failStage(context, frame, cause);
  // Of a sink: back to what it interrupts.
  const task = taskOf(context, frame);
  if (!frame.asides && frame.parent === null) {
    frame.passage ??= { stage: null, cause: null, fired: [] };
    frame.passage.stage = 'call';
  }
  if (agenda.of === 'retry') giveUp(context, frame, task, cause);
  else leaveTask(context, frame, cause);
}

/** Does one action. True when it has to be waited for. */
function act(
  context: Context,
  frame: Frame,
  agenda: Agenda,
  { rule, action: index }: { rule: number; action: number },
): boolean {
  const task = taskOf(context, frame);
  const action = actionsOf(context, frame, agenda, task, rule)[index]!;
  if (action.do === 'sink') return startAside(context, frame, action.task, rule);
  const place = agendaPlace(context, frame, agenda, task, rule);
  perform(context, frame, agenda, action, place);
  return false;
}

function actionsOf(
  context: Context,
  frame: Frame,
  agenda: Agenda,
  task: TaskPlan,
  rule: number,
): readonly Action[] {
  if (agenda.of === 'retry') return task.retry![rule]!.actions;
  return context.step(context.run(frame.run).step).case!.rules[rule]!.actions;
}

function perform(context: Context, frame: Frame, agenda: Agenda, action: Action, place: Place): void {
  const run = context.run(frame.run);
  const targets: Targets = { iter: frame.iter, step: run.vars, local: frame.locals };
  switch (action.do) {
    case 'set':
      return assign(context, action.set, place, targets);
    case 'collect':
      collect(context, action, place);
      if (action.isResult) gatheredAt(frame, agenda, { ...action.into, path: [...action.into.path] });
      return;
    case 'result':
      frame.passage!.result = withPayload(outcomeOf(context, frame), valueAt(context, action.value, place));
      frame.passage!.cause = null;
      return;
    case 'log':
      return context.emit?.({
        event_type: 'step.log',
        entity_type: 'step',
        entity_id: run.step,
        status: 'success',
        step_run_id: run.id,
        iteration: frame.index ?? undefined,
        parent_id: frame.taskRunId ?? run.id,
        payload: { message: valueAt(context, action.message, place), at: [...action.at] },
      });
  }
}

function gatheredAt(frame: Frame, agenda: Agenda, target: Target): void {
  if (agenda.of === 'case') frame.passage!.gathered = target;
  else (frame.repeats ??= { page: 1, count: 1 }).gathered = target;
}
