/**
 * Results as views: how `fetch.data`, `output.status`, `cities.results` and friends find their value. Views exist only
 * during look-up; what leaves an expression is their plain value.
 */
import { declarationOf, isMapping, type Json, type JsonObject, type Outcome } from '../../plan';
import { equals, loopResult, resultsOf, View } from '../../template/runtime';
import { type StepResult, type TaskResult } from '../state';

function declaredPayload({ kind, payload }: TaskResult): TaskResult['payload'] {
  return payload ?? declarationOf(kind)?.payload;
}

/** What an author means by "the data" of a task: the http body, the rows, else the result itself. */
export function payloadOf(result: TaskResult): Json {
  const { field } = declaredPayload(result) ?? {};
  const whole = result.outcome.result;
  if (field === undefined || !isMapping(whole)) return whole;
  return (own(whole, field) as Json | undefined) ?? null;
}

/** The first container that has the key, null values included. */
function firstOf(key: string | number, ...containers: unknown[]): unknown {
  for (const container of containers) {
    const value = own(container, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** An own key of a mapping, or an index of a list or of what a loop came to; undefined otherwise. */
export function own(container: unknown, key: string | number): unknown {
  const list = Array.isArray(container)
    ? (container as unknown[])
    : typeof key === 'number' && resultsOf(container);
  if (list) return typeof key === 'number' && Number.isInteger(key) ? list.at(key) : undefined;
  return isMapping(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

/** What a view is of. */
abstract class ViewOf<T> extends View {
  constructor(protected readonly of: T) {
    super();
  }
}

/** `outcome.result` and what `.data` answers for tools whose payload is a part of the result. */
class ResultView extends ViewOf<TaskResult> {
  constructor(
    task: TaskResult,
    private readonly value: Json = task.outcome.result,
  ) {
    super(task);
  }

  get(key: string | number): unknown {
    const part = firstOf(key, this.value, payloadOf(this.of), this.of.outcome.result);
    return part === undefined && (key === 'data' || key === 'result') ? this : part;
  }

  plain(): unknown {
    return this.value;
  }
}

/** `data` and `result` of a task. */
export function resultView(task: TaskResult): unknown {
  const { result } = task.outcome;
  return typeof result === 'object' && result !== null ? new ResultView(task) : result;
}

/** Kind of a result that an action put in the place of what the tool gave: its payload is the whole of it. */
const REPLACED = 'result';

/** The call's result with another payload; the envelope keeps what is known of the answer (status code, headers). */
export function withPayload(task: TaskResult | undefined, payload: Json): TaskResult {
  const outcome = { meta: {}, ...task?.outcome, status: 'ok', result: payload, error: null } as const;
  return { kind: REPLACED, outcome };
}

/** `result` and `page` of a call, for its rules: the payload, with `.data` and `.result` for the payload itself. */
export class PayloadView extends ViewOf<TaskResult> {
  get(key: string | number): unknown {
    const payload = payloadOf(this.of);
    const part = firstOf(key, payload, this.of.outcome.result);
    return part === undefined && (key === 'data' || key === 'result') ? payload : part;
  }

  plain(): unknown {
    return payloadOf(this.of);
  }
}

/** `error` in `retry`: its message wherever text or a value is asked for, its fields by name. */
export class ErrorText extends ViewOf<JsonObject> {
  get(key: string | number): unknown {
    return own(this.of, key);
  }

  plain(): unknown {
    return this.of['message'] ?? this.of['code'] ?? 'error';
  }
}

function envelopeField(outcome: Outcome, key: string | number): unknown {
  // Where a result that left history is stored; undefined for one that did not.
  if (key === '_ref') return outcome.meta['ref'];
  if (key === 'status_code') return outcome.http?.status ?? outcome.error?.status_code;
  if (key === 'headers') return outcome.http?.headers;
  if (key === 'metadata') return metadataOf(outcome);
  return own(outcome, key);
}

/** What an http answer says beside its body. */
function metadataOf({ http, result }: Outcome): Json | undefined {
  if (!http) return undefined;
  const { url, elapsed_ms } = isMapping(result) ? (result as JsonObject) : {};
  return {
    status_code: http.status,
    headers: http.headers,
    ...(url !== undefined && { url }),
    ...(elapsed_ms !== undefined && { elapsed_ms }),
  };
}

/** A task's or step's name, and `response`: a key of the payload, then aliases, then the envelope. */
export class TaskView extends ViewOf<TaskResult> {
  constructor(
    task: TaskResult,
    private readonly pipeline: Readonly<Record<string, TaskResult>> | null = null,
  ) {
    super(task);
  }

  get(key: string | number): unknown {
    const { outcome } = this.of;
    const payload = payloadOf(this.of);
    const inPayload = own(payload, key);
    const inResult = own(outcome.result, key);
    if (inPayload !== undefined) {
      // A body that itself has a key `data`: `.data.x` still finds the body's own `x`.
      if (key === 'data' && inResult !== undefined && typeof inPayload === 'object' && inPayload !== null) {
        return new ResultView(this.of, inPayload as Json);
      }
      return inPayload;
    }
    if (inResult !== undefined) return inResult;
    if (key === 'results' && this.pipeline) return new TasksView(this.pipeline);
    if (key === 'data' || key === 'result') return resultView(this.of);
    if (key === 'body' || (key === 'rows' && Array.isArray(payload))) return payload;
    return envelopeField(outcome, key);
  }

  /** The result as the tool gave it; a response also offers its payload as `body`, as NoETL's http tools do. */
  plain(): unknown {
    const { result } = this.of.outcome;
    const { also } = declaredPayload(this.of) ?? {};
    if (also === undefined || !isMapping(result) || Object.hasOwn(result, also)) return result;
    return { ...result, [also]: payloadOf(this.of) };
  }
}

/** `<step>.results`: the results of a pipeline by task name. */
class TasksView extends ViewOf<Readonly<Record<string, TaskResult>>> {
  get(key: string | number): unknown {
    const task = own(this.of, key) as TaskResult | undefined;
    return task && new TaskView(task);
  }

  plain(): unknown {
    return Object.fromEntries(
      Object.entries(this.of).map(([name, task]) => [name, new TaskView(task).plain()]),
    );
  }
}

/** `output`, `outcome` and `this`: the envelope first, then the payload. */
export class OutcomeView extends ViewOf<TaskResult> {
  /** `asData`: in a task-level `set` the bare word `{{ output }}` is the data, not the envelope. */
  constructor(
    task: TaskResult,
    private readonly asData = false,
  ) {
    super(task);
  }

  get(key: string | number): unknown {
    const { outcome } = this.of;
    if (key === 'data' || key === 'result') return resultView(this.of);
    const field = envelopeField(outcome, key);
    return field === undefined ? firstOf(key, payloadOf(this.of), outcome.result) : field;
  }

  plain(): unknown {
    const { outcome } = this.of;
    return this.asData ? outcome.result : { ...outcome, data: outcome.result };
  }
}

/**
 * A loop step: `{results, count, stats}`, which reads as the list of its results (a failed one is null) wherever a list is
 * asked for.
 */
class LoopView extends ViewOf<Extract<StepResult, { type: 'loop' }>> {
  get(key: string | number): unknown {
    if (key === 'data' || key === 'result') return this;
    return key === 'status' || key === 'error' ? this.of[key] : own(this.plain(), key);
  }

  plain(): unknown {
    const { results, success, failed, notStarted: not_started } = this.of;
    return loopResult(results, { success, failed, not_started });
  }
}

/** What a loop came to, at its boundary; undefined for a step that is none. */
export function loopView(result: StepResult): View | undefined {
  return result.type === 'loop' ? new LoopView(result) : undefined;
}

/** The view of a step's last result, null for a step without a tool. */
export function stepView(result: StepResult): unknown {
  if (result.type === 'loop') return loopView(result);
  return result.last === null ? null : new TaskView(result.last, result.tasks);
}

/** `event.name`: equal to any of the names the event goes by, its canonical name everywhere else. */
class EventNameView extends ViewOf<readonly string[]> {
  get(): unknown {
    return undefined;
  }

  plain(): unknown {
    return this.of[0];
  }

  override equals(other: unknown): boolean {
    return this.of.some((name) => equals(name, other));
  }
}

/** `event` in guards: canonical name first in `names`, then its aliases. */
export class EventView extends ViewOf<readonly string[]> {
  constructor(
    names: readonly string[],
    private readonly fields: Readonly<Record<string, unknown>>,
  ) {
    super(names);
  }

  get(key: string | number): unknown {
    if (key === 'name' || key === 'type') return new EventNameView(this.of);
    return own(this.fields, key);
  }

  plain(): unknown {
    return { name: this.of[0], ...this.fields };
  }
}
