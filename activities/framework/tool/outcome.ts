/** Builders for outcomes, and the error by which a tool ends early with one. */
import { CodedError } from '../../../src/language/errors';
import {
  type ErrorKind,
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
} from '../../../src/language/plan';

/** What a kind adds to its outcomes: `http`, `pg`, `py`, `meta`, and the partial `result` of a failure. */
export type OutcomeParts = Partial<Omit<Outcome, 'status' | 'error'>>;

export function succeeded(result: Json, parts: OutcomeParts = {}): Outcome {
  return { meta: {}, ...parts, status: 'ok', result, error: null };
}

export function failedTask(error: OutcomeError, parts: OutcomeParts = {}): Outcome {
  return { result: null, meta: {}, ...parts, status: 'error', error };
}

export interface ToolFailure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  /** Defaults to false. */
  readonly retryable?: boolean;
  readonly [more: string]: Json | undefined;
}

/** Ends a tool with a failed outcome. Its message is for the playbook's author: subject, rule, value, location. */
export class ToolError extends CodedError {
  readonly outcome: Outcome;

  constructor(failure: ToolFailure, parts: OutcomeParts = {}) {
    const { code, message, retryable = false } = failure;
    super(code, message, { retryable });
    this.outcome = failedTask({ ...failure, retryable }, parts);
  }

  /** The same error with more in `meta`. */
  with(meta: JsonObject): ToolError {
    const { error, ...parts } = this.outcome;
    return new ToolError(error as ToolFailure, { ...parts, meta: { ...parts.meta, ...meta } });
  }
}

/** An invalid input; `code` defaults to `INVALID_INPUT`. Never retryable. */
export function invalidInput(message: string, code = 'INVALID_INPUT', more: JsonObject = {}): ToolError {
  return new ToolError({ ...more, kind: 'validation', code, message });
}

export function timedOut(kind: string, seconds: number, parts: OutcomeParts = {}): ToolError {
  const message = `${kind} did not finish within ${seconds} s and was stopped`;
  return new ToolError({ kind: 'timeout', code: 'TIMEOUT', message, retryable: true }, parts);
}

export function cancelledError(parts: OutcomeParts = {}): ToolError {
  return new ToolError({ kind: 'cancelled', code: 'CANCELLED', message: 'the task was cancelled' }, parts);
}
