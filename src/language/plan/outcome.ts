/** The common result of every tool, and the call it receives. */
import { type Json, type JsonObject } from './json';
import { type Secrets } from './secret';

export type ErrorKind =
  | 'rate_limit'
  | 'auth'
  | 'not_found'
  | 'client_error'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'exception'
  | 'sql'
  | 'validation'
  | 'cancelled'
  | 'worker_lost';

export interface OutcomeError {
  readonly kind: ErrorKind;
  /** Stable and greppable, e.g. `HTTP_503`, `SQLSTATE_40P01`, `PY_ValueError`, `TIMEOUT`. */
  readonly code: string;
  readonly message: string;
  /** HTTP status if there is one; also available as `status_code`. */
  readonly status?: number;
  readonly status_code?: number;
  readonly retryable: boolean;
  /** Seconds the server asked to wait (`Retry-After`). */
  readonly retry_after?: number;
  readonly [more: string]: Json | undefined;
}

export interface Outcome {
  readonly status: 'ok' | 'error';
  readonly result: Json;
  readonly error: OutcomeError | null;
  readonly meta: OutcomeMeta;
  readonly http?: { readonly status: number; readonly headers: JsonObject };
  readonly pg?: {
    readonly code: string | null;
    readonly sqlstate: string | null;
    readonly [more: string]: Json | undefined;
  };
  readonly py?: {
    readonly exception_type: string | null;
    readonly traceback?: string;
    readonly stdout?: string;
  };
  readonly [kind: string]: unknown;
}

export interface OutcomeMeta {
  readonly duration_ms?: number;
  readonly [more: string]: Json | undefined;
}

/** The outcome of a success. */
export function okOutcome(result: Json, meta: Outcome['meta'] = {}): Outcome {
  return { status: 'ok', result, error: null, meta };
}

/** The outcome of a failure. */
export function failedOutcomeOf(error: OutcomeError, meta: Outcome['meta'] = {}): Outcome {
  return { status: 'error', result: null, error, meta };
}

/** The argument of every tool activity. Everything is resolved except deferred secrets. */
export interface TaskCall {
  readonly execution_id: string;
  readonly task_run_id: string;
  readonly step: string;
  readonly task: string;
  /** Absent outside loops. */
  readonly iteration?: number;
  /** 1-based number of the execution by the playbook's rules (Temporal's retries after a crash do not count). */
  readonly attempt: number;
  readonly kind: string;
  /** `<execution id>/<task run id without the attempt>`: the same for every execution of this unit of work. */
  readonly idempotency_key: string;
  /** Merged inputs of the step and task; what Python code sees as its variables. */
  readonly input: JsonObject;
  /** The tool's fields (url, command, code, …), templates evaluated. */
  readonly config: JsonObject;
  /** Seconds. */
  readonly timeout: { readonly connect?: number; readonly read?: number; readonly total?: number };
  /** The remaining effective spec. */
  readonly options: JsonObject;
  /** The secrets that handles in `input`, `config` and `options` refer to. */
  readonly secrets?: Secrets;
  /** For Python code that reads `context`. */
  readonly context?: JsonObject;
  /** Nothing reads the details of its result: the outcome omits them (`withoutDetails`). */
  readonly lean?: true;
  /** The call claims rows for a loop: whatever it takes must be in its outcome, also if its worker dies. */
  readonly claim?: true;
  /** Its result is stored outside history at any size. */
  readonly stored?: true;
}
