/** From what went wrong to what is reported: every cause names its place in the playbook. */
import {
  isMapping,
  itemName,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type Position,
} from '../../plan';
import { TemplateError } from '../../template/runtime';
import { type FailureCause } from '../state';

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

/** `error` as guards read a failure: the tool's own, else what the engine says. */
export function errorOf(cause: FailureCause): JsonObject {
  const told = isMapping(cause.cause) ? cause.cause['error'] : undefined;
  return (isMapping(told) ? told : cause) as JsonObject;
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

/**
 * The outcome of a task that failed because of what ran inside it: the error of the innermost tool, so that rules can
 * tell what is worth a retry, with a message that names the way to it.
 */
export function outcomeOfCause(cause: FailureCause, subject: string): Outcome {
  const told = isMapping(cause.cause) ? cause.cause : {};
  const error = isMapping(told['error']) ? (told['error'] as unknown as OutcomeError) : undefined;
  const { code, at, task, iteration } = cause;
  const where = [
    subject,
    ...(iteration === undefined ? [] : [itemName(iteration)]),
    // A loop inside this one has named itself.
    ...(task === undefined || cause.message.startsWith(`task ${task}, `) ? [] : [`task ${task}`]),
  ];
  return {
    status: 'error',
    result: null,
    error: {
      retryable: false,
      ...error,
      kind: cause.kind === 'engine' || cause.kind === 'expression' ? 'validation' : cause.kind,
      code,
      message: `${where.join(', ')}: ${cause.message}`,
      at: at ? [...at] : undefined,
    },
    meta: {},
    ...(isMapping(told['http']) ? { http: told['http'] as unknown as Outcome['http'] } : {}),
    ...(isMapping(told['pg']) ? { pg: told['pg'] as unknown as Outcome['pg'] } : {}),
    ...(isMapping(told['py']) ? { py: told['py'] as unknown as Outcome['py'] } : {}),
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

const LOOP_BROKEN = 'LOOP_BROKEN';

/** Why iterations in flight are cancelled when a rule of another one ended the loop (D18): no failure of the step. */
export function loopBroken(at: Position): FailureCause {
  return { kind: 'cancelled', code: LOOP_BROKEN, message: 'a rule of another iteration ended the loop', at };
}

export function isLoopBroken(cause: FailureCause | null): boolean {
  return cause?.code === LOOP_BROKEN && cause.kind === 'cancelled';
}
