/** The short form of a kind's results in mocks, from the kind's declaration. */
import { toolKind, type ToolKinds } from '../../../language/dsl/kinds';
import { type KindMock } from '../../../language/kinds/declaration';
import {
  type JsonObject,
  okOutcome,
  type Outcome,
  type TaskCall,
  type ErrorKind,
  failedOutcomeOf,
  type Json,
  type OutcomeError,
} from '../../../language/plan';
import { isRetryableSql, kindOfStatus } from '../../../language/kinds/failures';

/** A built-in kind, or one of an extension module. */
export function mockedKind(name: string, extensions: ToolKinds): MockedKind {
  const { mock, failures } = toolKind(name, extensions) ?? {};
  return { name, mock, failures };
}

/** The outcome of a call that got the least its kind can answer, after milliseconds. */
export function leastOutcome(kind: MockedKind, call: Pick<TaskCall, 'config'>, ms: number): Outcome {
  const { mock } = kind;
  return mock ? mockedOutcome(kind, mock, mock.least, call, ms) : okOutcome({});
}

/** The outcome for a short form, given the call and its simulated duration in milliseconds. */
export function mockedOutcome(
  kind: MockedKind,
  mock: KindMock,
  words: JsonObject,
  { config }: Pick<TaskCall, 'config'>,
  ms: number,
): Outcome {
  return mock.outcome(words, { config, ms, fail: (error, result) => errorOutcome(error, kind, result) });
}

/** A kind as seen by mocks; one without short forms may return any value. */
export interface MockedKind {
  readonly name: string;
  readonly mock?: KindMock;
  /** Typical ones, as `error` in rehearsals. */
  readonly failures?: readonly JsonObject[];
}

/** All kinds of errors, and whether a retry usually makes sense. */
export const RETRYABLE: Readonly<Record<ErrorKind, boolean>> = {
  rate_limit: true,
  auth: false,
  not_found: false,
  client_error: false,
  server_error: true,
  timeout: true,
  connection: true,
  exception: false,
  sql: false,
  validation: false,
  cancelled: false,
  worker_lost: true,
};

/**
 * The outcome of a failed task.
 *
 * @param error as in the mock: fields of the outcome's error, `sqlstate` and `exception_type`
 * @param tool the kind of the task
 */
export function errorOutcome(error: JsonObject, tool: MockedKind, result: Json = null): Outcome {
  const { sqlstate, exception_type: exception, ...fields } = error;
  const status = typeof fields.status === 'number' ? fields.status : undefined;
  const kind = (fields.kind as ErrorKind | undefined) ?? kindOf(status, exception, tool);
  const code = codeOf({ code: fields.code, status, sqlstate, exception }, kind);
  const whole: OutcomeError = {
    ...fields,
    kind,
    code,
    message: String(fields.message ?? `${tool.name} failed: ${code}`),
    ...(status === undefined ? {} : { status, status_code: status }),
    retryable:
      (fields.retryable as boolean | undefined) ??
      (typeof sqlstate === 'string' ? isRetryableSql(sqlstate) : RETRYABLE[kind]),
  };
  return {
    ...failedOutcomeOf(whole),
    result,
    ...(status === undefined ? {} : { http: { status, headers: {} } }),
    ...(typeof sqlstate === 'string' ? { pg: { code: sqlstate, sqlstate } } : {}),
    ...(typeof exception === 'string' ? { py: { exception_type: exception } } : {}),
  };
}

function kindOf(status: number | undefined, exception: unknown, { mock }: MockedKind): ErrorKind {
  if (status !== undefined) return kindOfStatus(status);
  return exception === undefined ? (mock?.failure ?? 'exception') : 'exception';
}

function codeOf(fields: Readonly<Record<string, unknown>>, kind: ErrorKind): string {
  if (fields.code !== undefined) return String(fields.code);
  if (fields.status !== undefined) return `HTTP_${String(fields.status)}`;
  if (fields.sqlstate !== undefined) return `SQLSTATE_${String(fields.sqlstate)}`;
  return fields.exception === undefined ? kind.toUpperCase() : `PY_${String(fields.exception)}`;
}
