/**
 * The compact form of calls and outcomes in history: without what the activity's attributes already contain (id, type,
 * workflow) and without redundancy within an outcome. Half of the bytes of a run were repetitions.
 */
import { assigned, compact } from './compact';
import { isMapping, type Json, type JsonObject } from './json';
import { executionIdOf, onlyToolOf } from './names';
import { declarationOf } from './kinds';
import { type Outcome, type TaskCall } from './outcome';

/**
 * A TaskCall as the activity's input. Defaults for absent fields: empty mappings, attempt 1, ids and names known to
 * Temporal.
 */
export type WireCall = Partial<Omit<TaskCall, 'lean' | 'stored'>> &
  Pick<TaskCall, 'config'> & {
    /** Size from which the outcome is stored outside history, if the plan sets one. */
    readonly inline_bytes?: number;
    /** Something reads the details of its result: the opposite of `lean`, which is the common case. */
    readonly details?: true;
  };

/** `limits.max_payload_bytes` of a plan that does not set it. */
export const DEFAULT_INLINE_BYTES = 256 * 1024;

/** What an activity learns from Temporal about itself. */
export interface ActivityIdentity {
  readonly activityId: string;
  readonly activityType: string;
  readonly workflowId: string;
}

export function packCall(
  call: TaskCall,
  workflowId: string,
  inlineBytes: number = DEFAULT_INLINE_BYTES,
): WireCall {
  const { execution_id, step, task, iteration, attempt, config, input, timeout, options, context } = call;
  const { secrets, lean, claim, stored, task_run_id } = call;
  const bytes = stored ? 0 : inlineBytes;
  // Workers of extensions are third-party programs: they receive everything.
  const declared = declarationOf(call.kind);
  const named: Partial<TaskPlace> = declared ? taskPlaceIn(task_run_id) : {};
  const unless = <T>(isKnown: boolean, value: T): T | undefined => (isKnown ? undefined : value);
  return {
    ...compact({
      step: unless(named.step === step, step),
      task: unless(named.task === task, task),
      iteration: unless(named.iteration === iteration, iteration),
      attempt: unless(attempt === 1, attempt),
      execution_id: unless(execution_id === executionIdOf(workflowId), execution_id),
      input: unless(isEmpty(input), input),
    }),
    config,
    ...compact({
      timeout: unless(isSame(timeout, declared?.spec?.timeout ?? {}), timeout),
      options: unless(isEmpty(options), options),
      secrets,
      context,
      claim,
      details: unless(lean === true, true as const),
      inline_bytes: unless(bytes === DEFAULT_INLINE_BYTES, bytes),
    }),
  };
}

export function unpackCall(given: WireCall, identity: ActivityIdentity): TaskCall {
  const { inline_bytes: _, details, ...wire } = given;
  const execution_id = wire.execution_id ?? executionIdOf(identity.workflowId) ?? identity.workflowId;
  const defaults = {
    attempt: 1,
    input: {},
    timeout: declarationOf(identity.activityType)?.spec?.timeout ?? {},
    options: {},
    ...taskPlaceIn(identity.activityId),
  };
  return assigned(assigned(defaults, wire), {
    execution_id,
    task_run_id: identity.activityId,
    kind: identity.activityType,
    idempotency_key: `${execution_id}/${identity.activityId.replace(/@\d+$/, '')}`,
    ...(!details && { lean: true as const }),
  });
}

type TaskPlace = Pick<TaskCall, 'step' | 'task' | 'iteration'>;

/**
 * Step, task and iteration of a task run: for `fetch#2[7].inner~1@1[3].store~1@1` fetch, store and 3; for `fetch#2[7]~1@1`
 * fetch, fetch_task and 7.
 */
export function taskPlaceIn(taskRunId: string): TaskPlace {
  const step = taskRunId.slice(0, taskRunId.indexOf('#'));
  const frame = taskFrameIn(taskRunId);
  const iteration = /\[(\d+)\]$/.exec(frame)?.[1];
  return {
    step,
    task: taskRunId.slice(frame.length + 1, taskRunId.lastIndexOf('~')) || onlyToolOf(step),
    ...(iteration !== undefined && { iteration: Number(iteration) }),
  };
}

/** Whether a task run, or a part of a step run, belongs to another: `fetch#2[7]~1@1` to `fetch#2`, not to `fetch#27`. */
export function isWithin(run: string, whole: string): boolean {
  return run.startsWith(whole) && (run.length === whole.length || '.[{~@'.includes(run[whole.length]!));
}

/** The frame of a task run: for `fetch#2[7].store~1@1` and for `fetch#2[7]~1@1` `fetch#2[7]`. */
export function taskFrameIn(taskRunId: string): string {
  const unit = taskRunId.slice(0, taskRunId.lastIndexOf('~'));
  return unit.replace(/\.[^.#~[\]{}@]+$/, '');
}

/** Details that both the activity and Temporal record for every task; for a lean task they are read from history. */
export const NOTED = ['attempt', 'started_at', 'ended_at', 'duration_ms', 'trace_id', 'worker'];

/** The outcome of a lean task: complete if it failed, otherwise without the details that nothing reads. */
export function withoutDetails(outcome: Outcome, { kind, lean }: Pick<TaskCall, 'kind' | 'lean'>): Outcome {
  if (!lean || outcome.status !== 'ok') return outcome;
  const { http, result, meta, ...rest } = outcome;
  const details = declarationOf(kind)?.details ?? [];
  const isPart = isMapping(result) && details.length > 0;
  return {
    ...rest,
    result: isPart ? without(result as JsonObject, details) : result,
    meta: { ...without(meta as JsonObject, NOTED), not_recorded: true },
    ...(http && { http: { ...http, headers: isPart ? {} : http.headers } }),
  };
}

function without(mapping: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.includes(key)));
}

/**
 * An Outcome as the activity's result, or as the details of its failure. Without a status it is ok, and was recorded
 * without the details that nothing reads: the common case, which should cost history the least.
 */
export type WireOutcome = JsonObject & { readonly status?: string };

/** Drops what `unpackOutcome` can derive from the rest. */
export function packOutcome(outcome: Outcome): WireOutcome {
  const { status, error, http, pg, meta, ...rest } = outcome;
  const wire: Record<string, unknown> = { ...rest };
  const { not_recorded, ...noted } = meta as JsonObject;
  if (status !== 'ok' || not_recorded !== true) wire['status'] = status;
  if (!isEmpty(noted)) wire['meta'] = noted;
  if (error) wire['error'] = error;
  if (http && !repeats(http, outcome.result)) wire['http'] = http;
  if (pg && (error || Object.values(pg).some((value) => value !== null))) wire['pg'] = pg;
  else if (pg) wire['pg'] = null;
  wire['result'] = withoutLastCommand(outcome.result);
  return wire as WireOutcome;
}

export function unpackOutcome(wire: WireOutcome): Outcome {
  const lean = wire.status === undefined;
  const outcome: Record<string, unknown> = {
    ...wire,
    status: wire.status ?? 'ok',
    error: wire['error'] ?? null,
    meta: { ...(wire['meta'] as JsonObject | undefined), ...(lean && { not_recorded: true }) },
  };
  const result = wire['result'] ?? null;
  if (
    isMapping(result) &&
    !('http' in wire) &&
    typeof result['status_code'] === 'number' &&
    (isMapping(result['headers']) || lean)
  ) {
    outcome['http'] = { status: result['status_code'], headers: result['headers'] ?? {} };
  }
  if (wire['pg'] === null) outcome['pg'] = { code: null, sqlstate: null };
  outcome['result'] = withLastCommand(result);
  return outcome as Outcome;
}

function isSame(timeout: TaskCall['timeout'], other: TaskCall['timeout']): boolean {
  return (['connect', 'read', 'total'] as const).every((part) => timeout[part] === other[part]);
}

function isEmpty(mapping: object): boolean {
  return Object.keys(mapping).length === 0;
}

function repeats(http: NonNullable<Outcome['http']>, result: Json): boolean {
  if (!isMapping(result) || result['status_code'] !== http.status) return false;
  return result['headers'] === http.headers || (!('headers' in result) && isEmpty(http.headers));
}

/** `rows`, `row_count` and `columns` of a query repeat those of its last statement, which has its own number. */
function withoutLastCommand(result: Json): Json {
  if (!isMapping(result) || !Array.isArray(result['rows'])) return result;
  const last = lastCommand(result as JsonObject);
  if (last < 0) return result;
  const { [`command_${last}`]: command, ...rest } = result as JsonObject;
  const isRepeated =
    isMapping(command) &&
    command['rows'] === rest['rows'] &&
    command['row_count'] === rest['row_count'] &&
    Object.keys(command).length === 4;
  return isRepeated ? { ...rest, statements: last + 1 } : result;
}

function withLastCommand(result: Json): Json {
  if (!isMapping(result) || !Array.isArray(result['rows']) || typeof result['statements'] !== 'number')
    return result;
  const { statements, ...rest } = result as JsonObject & { statements: number };
  const { rows, row_count, columns } = rest;
  const command = { status: 'success', rows: rows!, row_count: row_count!, columns: columns! };
  return { ...rest, [`command_${statements - 1}`]: command };
}

function lastCommand(result: JsonObject): number {
  let last = -1;
  while (Object.hasOwn(result, `command_${last + 1}`)) last++;
  return last;
}
