/** One pass through a pipeline: task by task, with continue, retry, jump, break and fail. */
import { type Outcome, type TaskPlan } from '../../../language/plan';
import { causeOf, type Context, measuredOutcome, noteDigits, ofTask } from '../batch';
import { inputsOver } from '../scope';
import { defineMember, type Frame, type StepRun, type TaskResult } from '../state';
import { askFrameRules, beginAgenda, failTask, stand, visitTask } from '../rules';

/** Opens a frame (see newFrame) and queues its first task. */
export function openFrame(
  context: Context,
  run: StepRun,
  index: number | null,
  outer: Frame | null = null,
): void {
  enterPipeline(context, context.newFrame(run, index, outer), outer);
}

/** Evaluates a frame's inputs and queues its first task. */
export function enterPipeline(context: Context, frame: Frame, outer: Frame | null): void {
  const run = context.run(frame.run);
  const owner = outer ? context.taskOf(outer) : context.step(run.step);
  try {
    if (owner.input) frame.args = inputsOver(context, frame.args, { run, outer }, { run, frame });
    if (owner.input && frame.index === null && !outer) run.inputs = frame.args;
  } catch (error) {
    const what = `input of ${outer ? 'task' : 'step'} ${owner.name}`;
    const cause = { ...causeOf(error, what, owner.at), iteration: frame.index ?? undefined };
    return context.endFrame(frame, cause);
  }
  const first = context.tasksOf(frame)[0];
  if (first) visitTask(context, frame, first);
  else context.endFrame(frame, null);
}

/** Handles a task's outcome: event, rules, writes, directive. */
export function settle(context: Context, frame: Frame, answer: Outcome): void {
  const { state } = context;
  const task = context.taskOf(frame);
  const { kind } = task;
  const outcome = measuredOutcome(context, answer, task.name, task.at);
  const result: TaskResult = task.payload ? { kind, outcome, payload: task.payload } : { kind, outcome };
  defineMember(frame.results, task.name, result);
  if (outcome.meta['digits_lost'] !== undefined) {
    const what = `task ${task.name} read ${String(outcome.meta['digits_lost'])}`;
    noteDigits(context, what, task.at, { run: context.run(frame.run), index: frame.index });
  }
  if (context.emit) {
    const [type, status] =
      outcome.status === 'ok' ? (['task.done', 'success'] as const) : (['task.failed', 'error'] as const);
    const role = frame.suspended ? { role: 'sink' } : {};
    const payload = { kind, outcome: outcome as never, ...role };
    context.emit(type, task.name, status, payload, ofTask(frame, frame.run));
  }
  if (state.status === 'failing' || state.status === 'cancelling') return;
  const stopping = context.stoppingOf(frame);
  if (stopping) {
    frame.taskRunId = null;
    return context.endFrame(frame, stopping);
  }
  if (task.rules) askRules(context, frame, task, outcome);
  else stand(context, frame, { do: outcome.status === 'ok' ? 'continue' : 'fail', rule: null });
}

function askRules(context: Context, frame: Frame, task: TaskPlan, outcome: Outcome): void {
  const answer = askFrameRules(context, {
    frame,
    of: 'task',
    set: task.rules!,
    happening: 'call',
    failed: outcome.status === 'error',
  });
  if (!('cause' in answer)) return beginAgenda(context, frame, answer.agenda);
  failTask(context, frame, answer.cause);
}
