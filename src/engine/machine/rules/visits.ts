/**
 * Calls of tools: each entry into a task is a unit of work with its own idempotency key; `retry` and `call` request the
 * same call again, or the next page.
 */
import {
  deepMerge,
  type JsonObject,
  type Overrides,
  type Retry,
  type TaskPlan,
} from '../../../language/plan';
import { type Context } from '../batch';
import {
  DEFAULT_DELAY_S,
  DEFAULT_MAX_DELAY_S,
  mappingAt,
  numberAt,
  type EnginePlace,
  secondsIn,
} from '../scope';
import {
  defineMember,
  type FailureCause,
  type Frame,
  ownValue,
  type Repeats,
  retryTimerKey,
  taskRunOf,
} from '../state';

/** Enters a task by start, continue or jump: a new visit, attempt 1. */
export function visitTask(context: Context, frame: Frame, task: TaskPlan): void {
  const cause = countVisit(context, frame, task);
  if (cause) return context.endFrame(frame, cause);
  if (frame.repeats) delete frame.repeats;
  // Its own attempts are about to replace the result of its last visit.
  if (frame.last === task.name) frame.previous = frame.results[task.name];
  else if (frame.previous) delete frame.previous;
  context.enqueue({ op: 'task', frame: frame.id });
}

/** Counts the entry. Returns why it is refused when the task was entered too often. */
function countVisit(context: Context, frame: Frame, task: TaskPlan): FailureCause | null {
  const visits = (ownValue(frame.visits, task.name) ?? 0) + 1;
  const limit = context.plan.limits.maxTaskVisits;
  if (visits > limit) {
    const { step } = context.run(frame.run);
    const message = `task ${task.name} of step ${step} was entered more than ${limit} times in one pipeline: an endless jump?`;
    return { kind: 'engine', code: 'RUNAWAY_TASK', message, task: task.name, at: task.at };
  }
  defineMember(frame.visits, task.name, visits);
  frame.attempt = 1;
  return null;
}

/** The evaluated overrides of a repetition: present when the next call is a new page. */
interface Changes {
  readonly config?: JsonObject;
  readonly input?: JsonObject;
}

/** @throws TemplateError as the templates of the overrides do */
export function visitChanges(
  context: Context,
  overrides: Overrides | undefined,
  place: EnginePlace,
): Changes | undefined {
  if (!overrides) return undefined;
  const { config, input } = overrides;
  return {
    ...(config && { config: mappingAt(context, config, place) }),
    ...(input && { input: mappingAt(context, input, place) }),
  };
}

/**
 * Seconds to wait before the next execution. `made`: executions (or pages) so far. The server's Retry-After wins when
 * it is longer, up to the maximum delay.
 *
 * @throws EngineError RETRY_NUMBER, TemplateError
 */
export function delayOf(context: Context, spec: Retry, attempts: number, place: EnginePlace): number {
  const seconds = (name: 'delay' | 'maxDelay', fallback: number): number =>
    numberAt(context, spec[name], place, fallback, name === 'delay' ? name : 'max_delay', spec.at, secondsIn);
  const base = seconds('delay', spec.overrides ? 0 : DEFAULT_DELAY_S);
  const factor = spec.backoff
    ? { none: 1, linear: attempts, exponential: 2 ** (attempts - 1) }[spec.backoff]
    : numberAt(context, spec.multiplier, place, 1, 'multiplier', spec.at) ** (attempts - 1);
  // Workers of extensions are third-party programs.
  const fromServer = Number(place.outcome?.outcome.error?.retry_after ?? 0);
  const retryAfter = Number.isFinite(fromServer) ? fromServer : 0;
  return Math.max(0, Math.min(seconds('maxDelay', DEFAULT_MAX_DELAY_S), Math.max(base * factor, retryAfter)));
}

/**
 * Repeats the call of the frame's current task, or, for rules of a step with several tasks, all of them. Returns why it
 * is refused when the task was entered too often.
 */
export function callAgain(
  context: Context,
  frame: Frame,
  all: boolean,
  changes: Changes | undefined,
  delay: number,
): FailureCause | null {
  if (all) frame.pc = 0;
  // Another page is another unit of work, and so is another round.
  const cause = changes || all ? countVisit(context, frame, context.taskOf(frame)) : null;
  if (cause) return cause;
  const round = all ? (frame.passage!.round ??= { attempt: 1, page: 1, count: 1 }) : frame;
  const repeats = 'page' in round ? round : (frame.repeats ??= { page: 1, count: 1 });
  repeats.count++;
  if (changes) {
    repeats.page++;
    round.attempt = 1;
    change(repeats, changes);
  } else round.attempt++;
  const { config, input } = repeats;
  if (all && (config || input)) frame.repeats = { page: 1, count: 1, config, input };
  else if (all) delete frame.repeats;
  wait(context, frame, delay);
  return null;
}

function change(into: Repeats, { config, input }: Changes): void {
  if (config) into.config = deepMerge(into.config ?? {}, config) as JsonObject;
  if (input) into.input = deepMerge(into.input ?? {}, input) as JsonObject;
}

function wait(context: Context, frame: Frame, delay: number): void {
  const { counters, now } = context.state;
  counters.retries++;
  frame.taskRunId = null;
  if (delay <= 0) return context.enqueue({ op: 'task', frame: frame.id });
  const key = retryTimerKey(taskRunOf(frame, context.taskOf(frame).name));
  frame.retryAt = now + Math.round(delay * 1000);
  context.startTimer(key, frame.retryAt, { type: 'retry', frame: frame.id });
}
