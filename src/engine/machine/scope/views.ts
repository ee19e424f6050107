/**
 * Results as views: how `fetch.data`, `output.status`, `cities.results` and similar find their value. Views exist only
 * during look-up; an expression always returns their plain value.
 */
import { declarationOf, isMapping, type Json, type JsonObject, type Outcome } from '../../../language/plan';
import { equals, loopResult, resultsOf, View } from '../../../language/template/runtime';
import { type StepResult, type TaskResult } from '../state';

function declaredPayload({ kind, payload }: TaskResult): TaskResult['payload'] {
  return payload ?? declarationOf(kind)?.payload;
}

/** What authors mean by "the data" of a task: the http body, the rows, otherwise the result itself. */
function payloadOf(result: TaskResult): Json {
  const { field } = declaredPayload(result) ?? {};
  const whole = result.outcome.result;
  if (field === undefined || !isMapping(whole)) return whole;
  return (own(whole, field) as Json | undefined) ?? null;
}

/** The payload by the other name that the kind gives it: `body` of a response, as NoETL's http tools call it. */
function payloadAs(key: string | number, result: TaskResult): Json | undefined {
  return key === declaredPayload(result)?.also ? payloadOf(result) : undefined;
}

/** The first container that has the key, even if its value is null. */
function firstOf(key: string | number, ...containers: unknown[]): unknown {
  for (const container of containers) {
    const value = own(container, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** An own key of a mapping, or an index of a list or loop result; undefined otherwise. */
function own(container: unknown, key: string | number): unknown {
  const list = Array.isArray(container)
    ? (container as unknown[])
    : typeof key === 'number' && resultsOf(container);
  if (list) return typeof key === 'number' && Number.isInteger(key) ? list.at(key) : undefined;
  return isMapping(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

/** The value behind a view. */
abstract class ViewOf<T> extends View {
  constructor(protected readonly of: T) {
    super();
  }
}

/** A field of the result; the payload of a response as a view. */
function fieldOf(task: TaskResult, key: string | number, value: unknown): unknown {
  const { field, also } = declaredPayload(task) ?? {};
  return also !== undefined && key === field && isMapping(value) ? new ResponseView(task) : value;
}

/** `outcome.result`, and the answer to `.data` for tools whose payload is a part of the result. */
class ResultView extends ViewOf<TaskResult> {
  constructor(
    task: TaskResult,
    private readonly value: Json = task.outcome.result,
  ) {
    super(task);
  }

  get(key: string | number): unknown {
    const part = firstOf(key, this.value, payloadOf(this.of), this.of.outcome.result);
    if (part !== undefined) return part;
    return key === 'data' || key === 'result' ? this : payloadAs(key, this.of);
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

/** Kind of a result that an action replaced: all of it is payload. */
const REPLACED = 'result';

/** The call's result with another payload; the envelope keeps the metadata (status code, headers). */
export function withPayload(task: TaskResult | undefined, payload: Json): TaskResult {
  const outcome = { meta: {}, ...task?.outcome, status: 'ok', result: payload, error: null } as const;
  return { kind: REPLACED, outcome, ...(task?.call && { call: task.call }) };
}

/**
 * `result` and `page` of a call in its rules: the payload, with `.data` and `.result` as names for the payload itself.
 */
export class PayloadView extends ViewOf<TaskResult> {
  get(key: string | number): unknown {
    const payload = payloadOf(this.of);
    const part = firstOf(key, payload, this.of.outcome.result);
    if (part !== undefined) return part;
    return key === 'data' || key === 'result' ? payload : payloadAs(key, this.of);
  }

  plain(): unknown {
    return payloadOf(this.of);
  }
}

/** `.data` of a response: its payload, which NoETL's http tools put beside the status and the headers, as `body`. */
class ResponseView extends PayloadView {
  override get(key: string | number): unknown {
    const part = own(payloadOf(this.of), key);
    if (part !== undefined) return part;
    const isMeta = key === 'status_code' || key === 'headers';
    return isMeta ? own(this.of.outcome.result, key) : payloadAs(key, this.of);
  }
}

/** `error` in `retry`: its message wherever a string or value is expected, its fields by name. */
export class ErrorText extends ViewOf<JsonObject> {
  get(key: string | number): unknown {
    return own(this.of, key);
  }

  plain(): unknown {
    return this.of['message'] ?? this.of['code'] ?? 'error';
  }
}

function envelopeField(outcome: Outcome, key: string | number): unknown {
  // Where a result that was moved out of history is stored; undefined for one that was not.
  const { ref } = outcome.meta;
  if (key === '_ref') return ref;
  // As the current official engine calls it.
  if (key === 'reference') return ref && { ref };
  if (key === '_store') return own(ref, 'store');
  if (key === 'status_code') return outcome.http?.status ?? outcome.error?.status_code;
  if (key === 'headers') return outcome.http?.headers;
  if (key === 'metadata') return metadataOf(outcome);
  // Null after a success: `error is defined` and `| default` are how playbooks ask.
  if (key === 'error') return outcome.error ?? undefined;
  return own(outcome, key);
}

/** The metadata of an http response. */
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

/** A task's or step's name, and `response`: first a key of the payload, then aliases, then the envelope. */
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
      // If the body itself has a key `data`, `.data.x` still finds the body's own `x`.
      if (key === 'data' && inResult !== undefined && typeof inPayload === 'object' && inPayload !== null) {
        return new ResultView(this.of, inPayload as Json);
      }
      return inPayload;
    }
    if (inResult !== undefined) return fieldOf(this.of, key, inResult);
    if (key === 'results' && this.pipeline) return new TasksView(this.pipeline);
    if (key === 'data' || key === 'result') return resultView(this.of);
    if (key === 'body' || (key === 'rows' && Array.isArray(payload))) return payload;
    return envelopeField(outcome, key);
  }

  /** The result as returned by the tool; a response also offers its payload as `body`, as NoETL's http tools do. */
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

/** `output`, `outcome` and `this`: first the envelope, then the payload. */
export class OutcomeView extends ViewOf<TaskResult> {
  /** `asData`: in a task-level `set`, `{{ output }}` alone is the data rather than the envelope. */
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
    if (field !== undefined) return field;
    const part = firstOf(key, payloadOf(this.of), outcome.result);
    return part === undefined ? payloadAs(key, this.of) : part;
  }

  plain(): unknown {
    const { outcome } = this.of;
    return this.asData ? outcome.result : { ...outcome, data: outcome.result };
  }
}

/**
 * A loop step: `{results, count, stats}`, which reads as the list of its results (null for failed ones) wherever a list
 * is expected.
 */
class LoopView extends ViewOf<Extract<StepResult, { type: 'loop' }>> {
  get(key: string | number): unknown {
    if (key === 'data' || key === 'result') return this;
    if (key === 'error') return this.of.error ?? undefined;
    return key === 'status' ? this.of.status : own(this.plain(), key);
  }

  plain(): unknown {
    const { results, success, failed, notStarted: not_started, cursor } = this.of;
    return loopResult(results, { success, failed, not_started, frames: cursor?.frames }, cursor?.rows);
  }
}

/** A loop's result, at its boundary; undefined for a step without a loop. */
export function loopView(result: StepResult): View | undefined {
  return result.type === 'loop' ? new LoopView(result) : undefined;
}

/** The view of a step's last result; null for a step without a tool. */
export function stepView(result: StepResult): unknown {
  if (result.type === 'loop') return loopView(result);
  return result.last === null ? null : new TaskView(result.last, result.tasks);
}

/** `event.name`: equal to any name of the event; elsewhere its canonical name. */
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
    return key === 'error' ? (own(this.fields, key) ?? undefined) : own(this.fields, key);
  }

  plain(): unknown {
    return { name: this.of[0], ...this.fields };
  }
}
