/** From what went wrong to what is reported: every cause names its place in the playbook. */
import { CodedError } from '../../errors';
import {
  isMapping,
  itemName,
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type Position,
} from '../../plan';
import { TemplateError } from '../../template/runtime';
import { type FailureCause } from '../state';

/** A rule of the engine that a playbook broke while running (runaway, loop over a non-list, conflicting writes …). */
export class EngineError extends CodedError {
  constructor(code: string, message: string, at?: Position) {
    super(code, message, { at });
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

/** `error` as guards read a failure: the tool's own, else what the engine says. */
export function errorOf(cause: FailureCause): JsonObject {
  const error = isMapping(cause.cause) ? cause.cause['error'] : undefined;
  return (isMapping(error) ? error : cause) as JsonObject;
}

/** The outcome of what went well. */
export function ok(result: Json, meta: Outcome['meta'] = {}): Outcome {
  return { status: 'ok', result, error: null, meta };
}

/** The outcome of what failed. */
export function failed(error: OutcomeError, meta: Outcome['meta'] = {}): Outcome {
  return { status: 'error', result: null, error, meta };
}

/** The outcome of a task that never ran because its inputs could not be evaluated. */
export function failedOutcome({ code, message, at }: FailureCause): Outcome {
  return failed({ kind: 'validation', code, message, retryable: false, at: at && [...at] });
}

/**
 * The outcome of a task that failed because of what ran inside it: the error of the innermost tool, so that rules can
 * tell what is worth a retry, with a message that names the way to it.
 */
export function outcomeOfCause(cause: FailureCause, subject: string): Outcome {
  const { error, http, pg, py } = (isMapping(cause.cause) ? cause.cause : {}) as Partial<Outcome>;
  const { code, at, task, iteration } = cause;
  const where = [
    subject,
    ...(iteration === undefined ? [] : [itemName(iteration)]),
    // A loop inside this one has named itself.
    ...(task === undefined || cause.message.startsWith(`task ${task}, `) ? [] : [`task ${task}`]),
  ];
  const kind = cause.kind === 'engine' || cause.kind === 'expression' ? 'validation' : cause.kind;
  const message = `${where.join(', ')}: ${cause.message}`;
  return {
    ...failed({ retryable: false, ...error, kind, code, message, at: at && [...at] }),
    ...(http && { http }),
    ...(pg && { pg }),
    ...(py && { py }),
  };
}

/** Why something ended that nobody wants any more. */
export function cancelled(message: string): FailureCause & { kind: 'cancelled' } {
  return { kind: 'cancelled', code: 'CANCELLED', message };
}

/** The outcome of a task that was taken back before it was asked for. */
export function cancelledOutcome(): Outcome {
  const { kind, code, message } = cancelled('the task was cancelled');
  return failed({ kind, code, message, retryable: false });
}

const LOOP_BROKEN = 'LOOP_BROKEN';

/** Why iterations in flight are cancelled when a rule of another one ended the loop: no failure of the step. */
export function loopBroken(at: Position): FailureCause {
  return { kind: 'cancelled', code: LOOP_BROKEN, message: 'a rule of another iteration ended the loop', at };
}

export function isLoopBroken(cause: FailureCause | null): boolean {
  return cause?.code === LOOP_BROKEN && cause.kind === 'cancelled';
}
