/** A step's result, and the writes derived from it (`vars`, `set`). */
import { failedOutcomeOf, type JsonObject, type OutcomeError, type StepPlan } from '../../../language/plan';
import { assignAll } from './assign';
import { type Context } from '../batch';
import {
  type FailureCause,
  type Frame,
  isEmpty,
  type LiveState,
  ownValue,
  type StepResult,
  type StepRun,
  type TaskResult,
} from '../state';

/** The result of a step without a loop, taken from its frame. */
export function frameResult(context: Context, frame: Frame, cause: FailureCause | null): StepResult {
  const { pipeline, set } = context.stepOf(frame);
  return {
    type: 'tasks',
    status: cause ? 'error' : 'ok',
    last: lastOf(context, frame, cause),
    tasks: pipeline ? tasksIn(context, frame) : null,
    // Results live as long as the execution: most have no such key, and no write of the step will add one.
    iter: set.length === 0 && isEmpty(frame.iter) ? NOTHING : frame.iter,
  };
}

const NOTHING: JsonObject = Object.freeze({});

/** The result of the task that ended the frame, or the one a rule replaced it with; null when it was skipped. */
export function lastOf(context: Context, frame: Frame, cause: FailureCause | null): TaskResult | null {
  if (frame.passage?.skipped) return null;
  if (frame.passage?.result) return frame.passage.result;
  const name = cause ? context.tasksOf(frame)[frame.pc]?.name : frame.last;
  const result = (name && ownValue(frame.results, name)) || null;
  const isOther = cause && (cause.code === STEP_TIMEOUT || result?.outcome.status === 'ok');
  return isOther ? failedBy(cause, result) : result;
}

/** The code of a step's time limit. */
export const STEP_TIMEOUT = 'STEP_TIMEOUT';

/** Not its task failed the step, but a rule or a time limit, for which the task was cancelled or had failed earlier. */
function failedBy({ kind, code, message }: FailureCause, task: TaskResult | null): TaskResult {
  const error = { kind: kind as OutcomeError['kind'], code, message, retryable: false };
  const outcome = { ...(task?.outcome ?? failedOutcomeOf(error)), status: 'error', error } as const;
  return { ...(task ?? { kind: 'noop' }), outcome };
}

/** Kinds that call nothing: the result of a step that only ends or waits is not an answer. */
const NO_CALLS: readonly string[] = ['noop', 'event_log', 'wait'];

/** Notes a step that ended with the result of a call, for a caller who names no step (`return_result`). */
export function noteAnswer(state: LiveState, step: StepPlan, result: StepResult, succeeded: boolean): void {
  const isAnswer =
    result.type === 'loop'
      ? result.results.length > 0 && step.tasks.some(({ kind }) => !NO_CALLS.includes(kind))
      : result.last !== null && !NO_CALLS.includes(result.last.kind) && result.last.outcome.result !== null;
  if (succeeded && isAnswer) state.answered = step.name;
  else if (state.answered === step.name) delete state.answered;
}

/** Results of the pipeline's tasks, excluding sinks. */
function tasksIn(context: Context, frame: Frame): Frame['results'] {
  const sinks = new Set(context.stepOf(frame).sinks?.map(({ name }) => name));
  if (sinks.size === 0) return frame.results;
  return Object.fromEntries(Object.entries(frame.results).filter(([name]) => !sinks.has(name)));
}

/**
 * The step's own writes, after it has succeeded.
 *
 * @throws TemplateError as the templates in them do
 */
export function writeStep(context: Context, run: StepRun, result: StepResult): void {
  const outcome = result.type === 'tasks' && result.last ? result.last : undefined;
  const iter: JsonObject = result.type === 'tasks' ? result.iter : {};
  const call = { index: 1, count: 1, writing: true } as const;
  const place = { run, own: result, outcome, call };
  assignAll(context, context.step(run.step).set, place, { iter, step: run.vars, local: run.locals });
}
