/** The passage of one pipeline: task by task, with continue, retry, jump, break and fail (S3 §5, §6). */
import { type Outcome, type TaskPlan } from '../plan';
import { assign } from './assign';
import { leaveTask } from './aside';
import { type Context } from './context';
import { causeOf } from './failure';
import { stoppingOf, taskOf, tasksOf } from './frame';
import { retryTimerKey, taskRunBase, taskRunId } from './ids';
import { newFrame } from './new-frame';
import { define } from './record';
import { considerRetry } from './retry';
import { decide, type Decision } from './rules';
import { type Place } from './scope';
import { inputsOver } from './step-inputs';
import { type FailureCause, type Frame, type StepRun, type TaskResult } from './state';
import { countVisit } from './visit';

/** Opens a frame (see newFrame) and queues its first task. */
export function openFrame(
  context: Context,
  run: StepRun,
  index: number | null,
  outer: Frame | null = null,
): void {
  enterPipeline(context, newFrame(context, run, index, outer), outer);
}

/** Evaluates a frame's inputs and queues its first task. */
export function enterPipeline(context: Context, frame: Frame, outer: Frame | null): void {
  const run = context.run(frame.run);
  const owner = outer ? taskOf(context, outer) : context.step(run.step);
  try {
    frame.args = inputsOver(context, frame.args, { run, outer }, { run, frame });
  } catch (error) {
    const what = `input of ${outer ? 'task' : 'step'} ${owner.name}`;
    const cause = { ...causeOf(error, what, owner.at), iteration: frame.index ?? undefined };
    return context.enqueue({ op: 'frameEnded', frame: frame.id, cause });
  }
  const first = tasksOf(context, frame)[0];
  if (first) visit(context, frame, first);
  else context.enqueue({ op: 'frameEnded', frame: frame.id, cause: null });
}

/** Enters a task by start, continue or jump: a new visit, attempt 1. */
function visit(context: Context, frame: Frame, task: TaskPlan): void {
  const cause = countVisit(context, frame, task);
  if (cause) return context.enqueue({ op: 'frameEnded', frame: frame.id, cause });
  if (frame.repeats) delete frame.repeats;
  context.enqueue({ op: 'task', frame: frame.id });
}

/** Takes a task's outcome: event, rules, writes, directive. */
export function settle(context: Context, id: string, outcome: Outcome): void {
  const { state } = context;
  const frame = state.frames.get(id);
  if (!frame) return;
  const run = context.run(frame.run);
  const task = taskOf(context, frame);
  const result: TaskResult = { kind: task.kind, outcome };
  define(frame.results, task.name, result);
  context.emit?.({
    event_type: outcome.status === 'ok' ? 'task.done' : 'task.failed',
    entity_type: 'task',
    entity_id: task.name,
    status: outcome.status === 'ok' ? 'success' : 'error',
    step_run_id: run.id,
    task_run_id: frame.taskRunId!,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    parent_id: run.id,
    payload: { kind: task.kind, outcome: outcome as never, ...(frame.asides ? { role: 'sink' } : {}) },
  });
  if (state.status === 'failing' || state.status === 'cancelling') return;
  const stopping = stoppingOf(context, frame);
  if (stopping) {
    frame.taskRunId = null;
    return context.enqueue({ op: 'frameEnded', frame: id, cause: stopping });
  }
  if (task.retry) return considerRetry(context, frame, task);
  conclude(context, frame, {});
}

/** What is known of an outcome that stands. */
export interface Standing {
  /** The sinks of the task have run. */
  readonly stored?: true;
  /** Attempts after which a `retry` was used up. */
  readonly exhausted?: number;
}

/** No repetition any more: the task's sinks, then its rules, writes and directive. */
export function conclude(context: Context, frame: Frame, { stored, exhausted }: Standing): void {
  const stopping = stoppingOf(context, frame);
  if (stopping) return context.enqueue({ op: 'frameEnded', frame: frame.id, cause: stopping });
  const run = context.run(frame.run);
  const task = taskOf(context, frame);
  const result = frame.results[task.name]!;
  const { outcome } = result;
  if (task.sinks?.length && !stored && outcome.status === 'ok') {
    frame.agenda = { of: 'task', todo: task.sinks.map((sink) => ({ sink })), moves: [] };
    return context.enqueue({ op: 'agenda', frame: frame.id, cause: null });
  }
  const place: Place = { run, frame, outcome: result };
  let decision: Decision;
  try {
    decision = exhausted
      ? { do: 'fail', rule: null, exhausted }
      : decide(context, task, outcome, frame.attempt, place);
    const targets = { iter: frame.iter, step: run.vars, local: frame.locals };
    if (decision.rule !== null) assign(context, task.rules![decision.rule]!.set, place, targets);
    const moves = decision.do === 'continue' || decision.do === 'jump' || decision.do === 'break';
    if (moves && task.set.length > 0) assign(context, task.set, { ...place, asData: true }, targets);
  } catch (error) {
    frame.taskRunId = null;
    const cause = {
      ...causeOf(error, `policy of task ${task.name}`, task.at),
      task: task.name,
      iteration: frame.index ?? undefined,
      attempt: frame.attempt,
    };
    return leaveTask(context, frame, cause);
  }
  directed(context, frame, task, decision);
  frame.taskRunId = null;
  follow(context, frame, task, decision, outcome);
}

function follow(context: Context, frame: Frame, task: TaskPlan, decision: Decision, outcome: Outcome): void {
  const { state } = context;
  const tasks = tasksOf(context, frame);
  // A sink is no step of the pipeline; a router that the compiler made of sugar is no task of the author's: `_prev`
  // and the result look past them.
  const moves = decision.do === 'continue' || decision.do === 'jump' || decision.do === 'break';
  if (moves && !frame.asides && !task.sugar?.generated) frame.last = task.name;
  switch (decision.do) {
    case 'retry': {
      frame.attempt++;
      state.counters.retries++;
      if (decision.delay <= 0) return context.enqueue({ op: 'task', frame: frame.id });
      const next = taskRunId(taskRunBase(frame.id, task.name, frame.visits[task.name]!), frame.attempt);
      const deadline = state.now + Math.round(decision.delay * 1000);
      const key = retryTimerKey(next);
      frame.retryAt = deadline;
      state.timers[key] = { deadline, purpose: { type: 'retry', frame: frame.id } };
      context.command({ type: 'startTimer', key, deadline });
      return;
    }
    case 'fail':
      return leaveTask(context, frame, failureOf(frame, task, decision, outcome));
    case 'break':
      return leaveTask(context, frame, null);
    case 'jump':
      frame.pc = tasks.findIndex((candidate) => candidate.name === decision.to);
      return visit(context, frame, tasks[frame.pc]!);
    case 'continue':
      if (frame.asides || frame.pc + 1 >= tasks.length) return leaveTask(context, frame, null);
      frame.pc++;
      return visit(context, frame, tasks[frame.pc]!);
  }
}

/** The decision, with the rule's line: what `explain` reads. */
function directed(context: Context, frame: Frame, task: TaskPlan, decision: Decision): void {
  if (!context.emit) return;
  const rule = decision.rule === null ? null : task.rules![decision.rule]!;
  context.emit?.({
    event_type: decision.do === 'retry' ? 'task.retrying' : 'task.directive',
    entity_type: 'task',
    entity_id: task.name,
    status: decision.do === 'retry' ? 'in_progress' : decision.do === 'fail' ? 'error' : 'success',
    step_run_id: frame.run,
    task_run_id: frame.taskRunId!,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    parent_id: frame.taskRunId!,
    payload: {
      directive: decision.do,
      rule: decision.rule,
      at: rule ? [...rule.at] : [...task.at],
      when: rule ? (rule.when?.source ?? 'else') : null,
      to: decision.do === 'jump' ? decision.to : undefined,
      delay_s: decision.do === 'retry' ? decision.delay : undefined,
      attempts: decision.do === 'retry' ? decision.attempts : undefined,
      exhausted: decision.do === 'fail' ? decision.exhausted : undefined,
    },
  });
}

function failureOf(frame: Frame, task: TaskPlan, decision: Decision, outcome: Outcome): FailureCause {
  const error = outcome.error;
  const rule = decision.rule === null ? null : task.rules![decision.rule]!;
  const tried = decision.do === 'fail' && decision.exhausted ? ` (after ${decision.exhausted} attempts)` : '';
  return {
    kind: error?.kind ?? 'engine',
    code: error?.code ?? 'RULE_FAIL',
    message: error
      ? `${error.message}${tried}`
      : tried
        ? `retries used up${tried} without the outcome the rules ask for`
        : `a rule ended the task: ${rule?.when?.source ?? 'else'}`,
    task: task.name,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    at: error && Array.isArray(error.at) ? (error.at as [number, number]) : (rule ?? task).at,
    cause: {
      error: error as never,
      http: outcome.http as never,
      pg: outcome.pg as never,
      py: outcome.py as never,
    },
  };
}
