/** From what Temporal says of an activity to the outcome the engine takes (DESIGN.md section 3). */
import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import {
  type ErrorKind,
  isMapping,
  type Json,
  type Outcome,
  unpackOutcome,
  type WireOutcome,
} from '../src/plan';
import { referenceOf, schemaHint, tieReference } from '../src/payloads';

/** The outcome an activity completed with; one that was stored outside history says where, as `meta.ref` (D25). */
export function outcomeOfResult(wire: WireOutcome): Outcome {
  const outcome = unpackOutcome(wire);
  const reference = referenceOf(wire);
  if (!reference) return outcome;
  const ref = { ...reference, schema_hint: schemaHint(outcome.result) };
  tieReference(outcome.result, ref);
  return { ...outcome, meta: { ...outcome.meta, ref: ref as unknown as Json } };
}

/** The outcome of an activity that did not complete. */
export function outcomeOfFailure(failure: unknown): Outcome {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure) {
    const told = cause.details?.[0];
    if (isOutcome(told)) return outcomeOfResult(told);
    return error('exception', cause.type ?? 'ACTIVITY_FAILED', cause.message);
  }
  if (cause instanceof CancelledFailure) {
    return error('cancelled', 'CANCELLED', 'the task was cancelled');
  }
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'START_TO_CLOSE') {
      return error(
        'timeout',
        'TIMEOUT',
        'the task ran longer than its time limit and could not be stopped',
        true,
      );
    }
    return error(
      'worker_lost',
      'WORKER_LOST',
      'the worker was lost while it ran the task, on every try',
      true,
    );
  }
  return error('exception', 'ACTIVITY_FAILED', cause instanceof Error ? cause.message : String(cause));
}

function isOutcome(value: unknown): value is WireOutcome {
  return isMapping(value) && value['status'] === 'error' && isMapping(value['error']);
}

function error(kind: ErrorKind, code: string, message: string, retryable = false): Outcome {
  return { status: 'error', result: null, error: { kind, code, message, retryable }, meta: {} };
}
