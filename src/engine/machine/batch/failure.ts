/** Turns errors into reported causes; every cause names its location in the playbook. */
import { CodedError } from '../../../language/errors';
import {
  compact,
  failedOutcomeOf,
  isMapping,
  itemName,
  type JsonObject,
  type Outcome,
  type SourcePosition,
} from '../../../language/plan';
import { TemplateError } from '../../../language/template/runtime';
import { type FailureCause } from '../state';

/** A playbook broke an engine rule at run time (runaway, loop over a non-list, conflicting writes …). */
export class EngineError extends CodedError {
  constructor(code: string, message: string, at?: SourcePosition) {
    super(code, message, { at });
  }
}

/** Converts an error thrown by an evaluation into a cause; unexpected errors are bugs and are rethrown. */
export function causeOf(error: unknown, what: string, at: SourcePosition): FailureCause {
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
    // It does not know where in the playbook it was thrown.
    const message = error.at ? error.message : `${what}: ${error.message}`;
    return { kind: 'engine', code: error.code, message, at: error.at ?? at };
  }
  throw error;
}

/** `error` as guards see it: the tool's error if there is one, otherwise the engine's message. */
export function causeError(cause: FailureCause): JsonObject {
  const error = isMapping(cause.cause) ? cause.cause['error'] : undefined;
  return (isMapping(error) ? error : cause) as JsonObject;
}

/** The outcome of a task that never ran because its inputs could not be evaluated. */
export function failedOutcome({ code, message, at }: FailureCause): Outcome {
  return failedOutcomeOf({ kind: 'validation', code, message, retryable: false, at: at && [...at] });
}

/**
 * The outcome of a task that failed because a task inside it failed: carries the error of the innermost tool, so that
 * rules can decide whether a retry makes sense, with a message that names the path to it.
 */
export function outcomeOfCause(cause: FailureCause, subject: string): Outcome {
  const { error, http, pg, py } = (isMapping(cause.cause) ? cause.cause : {}) as Partial<Outcome>;
  const { code, at, task, iteration } = cause;
  const where = [
    subject,
    ...(iteration === undefined ? [] : [itemName(iteration)]),
    // A nested loop has already named itself.
    ...(task === undefined || cause.message.startsWith(`task ${task}, `) ? [] : [`task ${task}`]),
  ];
  const kind = cause.kind === 'engine' || cause.kind === 'expression' ? 'validation' : cause.kind;
  const message = `${where.join(', ')}: ${cause.message}`;
  return {
    ...failedOutcomeOf({ retryable: false, ...error, kind, code, message, at: at && [...at] }),
    ...compact({ http, pg, py }),
  };
}

/** Cause for work that is cancelled because its result is no longer needed. */
export function cancelledCause(message: string): FailureCause & { kind: 'cancelled' } {
  return { kind: 'cancelled', code: 'CANCELLED', message };
}

/** The outcome of a task that was removed before it was scheduled. */
export function cancelledOutcome(): Outcome {
  const { kind, code, message } = cancelledCause('the task was cancelled');
  return failedOutcomeOf({ kind, code, message, retryable: false });
}

const LOOP_BROKEN = 'LOOP_BROKEN';

/**
 * Cause for cancelling iterations in flight when a rule of another iteration ended the loop: not a failure of the step.
 */
export function loopBroken(at: SourcePosition): FailureCause {
  return { kind: 'cancelled', code: LOOP_BROKEN, message: 'a rule of another iteration ended the loop', at };
}

export function isLoopBroken(cause: FailureCause | null): boolean {
  return cause?.code === LOOP_BROKEN && cause.kind === 'cancelled';
}
