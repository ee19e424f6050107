/**
 * What history keeps of a task: call and outcome without what the activity's own attributes say already (id, type,
 * workflow) and without what one part of an outcome repeats of another. Half of the bytes of a run were repetitions.
 */
import { isMapping, type Json, type JsonObject } from './json';
import { executionIdOf } from './names';
import { type Outcome, type TaskCall } from './outcome';

/** A TaskCall as the activity's input. Absent: empty mappings, attempt 1, ids that Temporal knows. */
export type WireCall = Partial<TaskCall> &
  Pick<TaskCall, 'step' | 'task' | 'config'> & {
    /** Size from which on the outcome leaves history, where the plan has one of its own. */
    readonly inline_bytes?: number;
  };

/** `limits.max_payload_bytes` of a plan that says nothing. */
export const DEFAULT_INLINE_BYTES = 256 * 1024;

/** What Temporal tells an activity of itself. */
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
  const { secrets } = call;
  return {
    step,
    task,
    ...(iteration === undefined ? {} : { iteration }),
    ...(attempt === 1 ? {} : { attempt }),
    ...(execution_id === executionIdOf(workflowId) ? {} : { execution_id }),
    ...(isEmpty(input) ? {} : { input }),
    config,
    ...(isEmpty(timeout) ? {} : { timeout }),
    ...(isEmpty(options) ? {} : { options }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(context === undefined ? {} : { context }),
    ...(inlineBytes === DEFAULT_INLINE_BYTES ? {} : { inline_bytes: inlineBytes }),
  };
}

export function unpackCall(given: WireCall, identity: ActivityIdentity): TaskCall {
  const { inline_bytes: _, ...wire } = given;
  const execution_id = wire.execution_id ?? executionIdOf(identity.workflowId) ?? identity.workflowId;
  return {
    attempt: 1,
    input: {},
    timeout: {},
    options: {},
    ...wire,
    execution_id,
    task_run_id: identity.activityId,
    kind: identity.activityType,
    idempotency_key: `${execution_id}/${identity.activityId.replace(/@\d+$/, '')}`,
  };
}

/** An Outcome as the activity's result or the details of its failure. */
export type WireOutcome = JsonObject & { readonly status: string };

/** Drops what `unpackOutcome` can tell from the rest. */
export function packOutcome(outcome: Outcome): WireOutcome {
  const { error, http, pg, ...rest } = outcome;
  const wire: Record<string, unknown> = { ...rest };
  if (error) wire['error'] = error;
  if (http && !repeats(http, outcome.result)) wire['http'] = http;
  if (pg && (error || Object.values(pg).some((value) => value !== null))) wire['pg'] = pg;
  else if (pg) wire['pg'] = null;
  wire['result'] = withoutLastCommand(outcome.result);
  return wire as WireOutcome;
}

export function unpackOutcome(wire: WireOutcome): Outcome {
  const outcome: Record<string, unknown> = {
    ...wire,
    error: wire['error'] ?? null,
    meta: wire['meta'] ?? {},
  };
  const result = wire['result'] ?? null;
  if (
    isMapping(result) &&
    !('http' in wire) &&
    typeof result['status_code'] === 'number' &&
    isMapping(result['headers'])
  ) {
    outcome['http'] = { status: result['status_code'], headers: result['headers'] };
  }
  if (wire['pg'] === null) outcome['pg'] = { code: null, sqlstate: null };
  outcome['result'] = withLastCommand(result);
  return outcome as Outcome;
}

function isEmpty(mapping: object): boolean {
  return Object.keys(mapping).length === 0;
}

function repeats(http: NonNullable<Outcome['http']>, result: Json): boolean {
  return isMapping(result) && result['status_code'] === http.status && result['headers'] === http.headers;
}

/** `rows`, `row_count` and `columns` of a query are those of its last statement, which is there again by its number. */
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
