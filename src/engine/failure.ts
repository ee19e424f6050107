/** From what went wrong to what is reported: every cause names its place in the playbook. */
import { type Outcome, type Position } from '../plan';
import { TemplateError } from '../template/runtime';
import { type FailureCause } from './state';

/** A rule of the engine that a playbook broke while running (runaway, loop over a non-list, conflicting writes …). */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly at?: Position,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** Turns what an evaluation threw into a cause; anything unforeseen is a fault of ours and is thrown on. */
export function causeOf(error: unknown, what: string, at: Position): FailureCause {
  if (error instanceof TemplateError) {
    return {
      kind: 'expression',
      code: error.code,
      message: `${what}: ${error.message}`,
      at: error.at ? [error.at[0], error.at[1]] : at,
      cause: { source: error.source, offset: error.offset ?? null },
    };
  }
  if (error instanceof EngineError) {
    return { kind: 'engine', code: error.code, message: error.message, at: error.at ?? at };
  }
  throw error;
}

/** The outcome of a task that never ran because its inputs could not be evaluated. */
export function failedOutcome(cause: FailureCause): Outcome {
  return {
    status: 'error',
    result: null,
    error: {
      kind: 'validation',
      code: cause.code,
      message: cause.message,
      retryable: false,
      at: cause.at ? [...cause.at] : undefined,
    },
    meta: {},
  };
}

/** The outcome of a task that was taken back before it was asked for. */
export function cancelledOutcome(): Outcome {
  const error = {
    kind: 'cancelled',
    code: 'CANCELLED',
    message: 'the task was cancelled',
    retryable: false,
  } as const;
  return { status: 'error', result: null, error, meta: {} };
}
