/**
 * Results as views (D10): how `fetch.data`, `output.status`, `cities.results` and friends find their value. Views
 * exist only during look-up; what leaves an expression is their plain value.
 */
import { declarationOf, isMapping, type Json, type Outcome } from '../../plan';
import { equals, loopResult, resultsOf, View } from '../../template/runtime';
import { type StepResult, type TaskResult } from '../state';

/** What an author means by "the data" of a task: the http body, the rows, else the result itself. */
export function payloadOf(result: TaskResult): Json {
  const field = declarationOf(result.kind)?.payload?.field;
  const whole = result.outcome.result;
  if (field === undefined || !isMapping(whole)) return whole;
  return (own(whole, field) as Json | undefined) ?? null;
}

/** The first container that has the key, null values included. */
function firstOf(key: string | number, ...containers: unknown[]): unknown {
  for (const container of containers) {
    const found = own(container, key);
    if (found !== undefined) return found;
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

/** `outcome.result` and what `.data` answers for tools whose payload is a part of the result. */
class ResultView extends View {
  constructor(
    private readonly task: TaskResult,
    private readonly value: Json = task.outcome.result,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { outcome } = this.task;
    const found = firstOf(key, this.value, payloadOf(this.task), outcome.result);
    if (found !== undefined) return found;
    return key === 'data' || key === 'result' ? this : undefined;
  }

  plain(): unknown {
    return this.value;
  }
}

function asResult(task: TaskResult): unknown {
  return typeof task.outcome.result === 'object' && task.outcome.result !== null
    ? new ResultView(task)
    : task.outcome.result;
}

function envelopeField(outcome: Outcome, key: string | number): unknown {
  // D25: where a result that left history is stored; undefined for one that did not.
  if (key === '_ref') return outcome.meta['ref'];
  if (key === 'status_code') return outcome.http?.status ?? outcome.error?.status_code;
  if (key === 'headers') return outcome.http?.headers;
  if (key === 'metadata') return metadataOf(outcome);
  return own(outcome, key);
}

/** What an http answer says beside its body. */
function metadataOf({ http, result }: Outcome): Json | undefined {
  if (!http) return undefined;
  const more = ['url', 'elapsed_ms'].flatMap((name) => {
    const value = own(result, name) as Json | undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { status_code: http.status, headers: http.headers, ...Object.fromEntries(more) };
}

/** A task's or step's name, and `response`: a key of the payload, then aliases, then the envelope. */
export class TaskView extends View {
  constructor(
    protected readonly task: TaskResult,
    private readonly pipeline: Readonly<Record<string, TaskResult>> | null = null,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { outcome } = this.task;
    const payload = payloadOf(this.task);
    const inPayload = own(payload, key);
    const inResult = own(outcome.result, key);
    if (inPayload !== undefined) {
      // A body that itself has a key `data`: `.data.x` still finds the body's own `x`.
      if (key === 'data' && inResult !== undefined && typeof inPayload === 'object' && inPayload !== null) {
        return new ResultView(this.task, inPayload as Json);
      }
      return inPayload;
    }
    if (inResult !== undefined) return inResult;
    if (key === 'results' && this.pipeline) return new TasksView(this.pipeline);
    if (key === 'data' || key === 'result') return asResult(this.task);
    if (key === 'body') return payload;
    if (key === 'rows' && Array.isArray(payload)) return payload;
    return envelopeField(outcome, key);
  }

  /** The result as the tool gave it; a response also offers its payload as `body`, as NoETL's http tools do. */
  plain(): unknown {
    const { result } = this.task.outcome;
    const also = declarationOf(this.task.kind)?.payload?.also;
    if (also === undefined || !isMapping(result) || Object.hasOwn(result, also)) return result;
    return { ...result, [also]: payloadOf(this.task) };
  }
}

/** `<step>.results`: the results of a pipeline by task name. */
class TasksView extends View {
  constructor(private readonly tasks: Readonly<Record<string, TaskResult>>) {
    super();
  }

  get(key: string | number): unknown {
    const task = own(this.tasks, key) as TaskResult | undefined;
    return task && new TaskView(task);
  }

  plain(): unknown {
    return Object.fromEntries(
      Object.entries(this.tasks).map(([name, task]) => [name, new TaskView(task).plain()]),
    );
  }
}

/** `output`, `outcome` and `this`: the envelope first, then the payload. */
export class OutcomeView extends View {
  /** `asData`: in a task-level `set` the bare word `{{ output }}` is the data, not the envelope. */
  constructor(
    private readonly task: TaskResult,
    private readonly asData = false,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { outcome } = this.task;
    if (key === 'data' || key === 'result') return asResult(this.task);
    const field = envelopeField(outcome, key);
    if (field !== undefined) return field;
    return firstOf(key, payloadOf(this.task), outcome.result);
  }

  plain(): unknown {
    const { outcome } = this.task;
    return this.asData ? outcome.result : { ...outcome, data: outcome.result };
  }
}

/**
 * A loop step: `{results, count, stats}`, which reads as the list of its results (a failed one is null) wherever a list is
 * asked for.
 */
class LoopView extends View {
  constructor(private readonly loop: Extract<StepResult, { type: 'loop' }>) {
    super();
  }

  get(key: string | number): unknown {
    switch (key) {
      case 'data':
      case 'result':
        return this;
      case 'status':
        return this.loop.status;
      case 'error':
        return this.loop.error;
      default:
        return own(this.plain(), key);
    }
  }

  plain(): unknown {
    const { results, success, failed, notStarted: not_started } = this.loop;
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

/** `event.name`: equal to any of the names the event goes by (D15), its canonical name everywhere else. */
class EventNameView extends View {
  constructor(private readonly names: readonly string[]) {
    super();
  }

  get(): unknown {
    return undefined;
  }

  plain(): unknown {
    return this.names[0];
  }

  override equals(other: unknown): boolean {
    return this.names.some((name) => equals(name, other));
  }
}

/** `event` in guards: canonical name first in `names`, then its aliases. */
export class EventView extends View {
  constructor(
    private readonly names: readonly string[],
    private readonly fields: Readonly<Record<string, unknown>>,
  ) {
    super();
  }

  get(key: string | number): unknown {
    if (key === 'name' || key === 'type') return new EventNameView(this.names);
    return own(this.fields, key);
  }

  plain(): unknown {
    return { name: this.names[0], ...this.fields };
  }
}
