/** Calling a tool again, as `retry` and `call` ask: the same call once more, or the next page (S2 §6, S5 §3; D17). */
import { deepMerge, type JsonObject, type Overrides, type Retry } from '../../plan';
import { type Context } from '../batch';
import { DEFAULT_DELAY_S, DEFAULT_MAX_DELAY_S, mappingAt, numberAt, type Place, secondsIn } from '../scope';
import { type FailureCause, type Frame, type Repeats, retryTimerKey, taskRunOf } from '../state';
import { countVisit } from './visit';

/** What a repetition changes, evaluated: present when the next call is a new page. */
export interface Changes {
  readonly config?: JsonObject;
  readonly input?: JsonObject;
}

/** @throws TemplateError as the templates of the overrides do */
export function changesOf(
  context: Context,
  overrides: Overrides | undefined,
  place: Place,
): Changes | undefined {
  if (!overrides) return undefined;
  const { config, input } = overrides;
  return {
    ...(config ? { config: mappingAt(context, config, place) } : {}),
    ...(input ? { input: mappingAt(context, input, place) } : {}),
  };
}

/**
 * Seconds to wait before the next execution. `made`: executions (or pages) so far. The server's Retry-After counts when
 * it is longer, up to the longest delay.
 *
 * @throws EngineError RETRY_NUMBER, TemplateError
 */
export function delayOf(context: Context, spec: Retry, made: number, place: Place): number {
  const seconds = (name: 'delay' | 'maxDelay', fallback: number): number =>
    numberAt(context, spec[name], place, fallback, name === 'delay' ? name : 'max_delay', spec.at, secondsIn);
  const base = seconds('delay', spec.overrides ? 0 : DEFAULT_DELAY_S);
  const factor = spec.backoff
    ? { none: 1, linear: made, exponential: 2 ** (made - 1) }[spec.backoff]
    : numberAt(context, spec.multiplier, place, 1, 'multiplier', spec.at) ** (made - 1);
  const asked = place.outcome?.outcome.error?.retry_after ?? 0;
  return Math.max(0, Math.min(seconds('maxDelay', DEFAULT_MAX_DELAY_S), Math.max(base * factor, asked)));
}

/** Repeats the frame's current task. */
export function repeatTask(
  context: Context,
  frame: Frame,
  changes: Changes | undefined,
  delay: number,
): FailureCause | null {
  const repeats: Repeats = (frame.repeats ??= { page: 1, count: 1 });
  repeats.count++;
  if (changes) {
    const cause = countVisit(context, frame, context.taskOf(frame));
    if (cause) return cause;
    repeats.page++;
    change(repeats, changes);
  } else frame.attempt++;
  wait(context, frame, delay);
  return null;
}

/** Repeats all tasks of a step's pipeline, for rules of `case` on a step with several. */
export function repeatPipeline(
  context: Context,
  frame: Frame,
  changes: Changes | undefined,
  delay: number,
): FailureCause | null {
  const round = (frame.passage!.round ??= { attempt: 1, page: 1, count: 1 });
  round.count++;
  if (changes) {
    round.page++;
    round.attempt = 1;
    change(round, changes);
  } else round.attempt++;
  frame.pc = 0;
  const cause = countVisit(context, frame, context.tasksOf(frame)[0]!);
  if (cause) return cause;
  const { config, input } = round;
  if (config || input) frame.repeats = { page: 1, count: 1, config, input };
  else delete frame.repeats;
  wait(context, frame, delay);
  return null;
}

function change(over: Changes, { config, input }: Changes): void {
  const into = over as { config?: JsonObject; input?: JsonObject };
  if (config) into.config = deepMerge(into.config ?? {}, config) as JsonObject;
  if (input) into.input = deepMerge(into.input ?? {}, input) as JsonObject;
}

function wait(context: Context, frame: Frame, delay: number): void {
  const { state } = context;
  state.counters.retries++;
  frame.taskRunId = null;
  if (delay <= 0) return context.enqueue({ op: 'task', frame: frame.id });
  const key = retryTimerKey(taskRunOf(frame, context.taskOf(frame).name));
  const deadline = state.now + Math.round(delay * 1000);
  frame.retryAt = deadline;
  state.timers[key] = { deadline, purpose: { type: 'retry', frame: frame.id } };
  context.command({ type: 'startTimer', key, deadline });
}
