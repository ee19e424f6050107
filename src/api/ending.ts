/** The outcome of an execution, from its workflow's result or failure. */
import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { type EngineNote } from '../engine/machine';
import { type DocumentError, documentError, plainError } from '../history/document-error';
import { isMapping, type Json } from '../language/plan';
import { messageOf } from '../language/errors';

export interface ExecutionEnding {
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** Null unless completed. */
  readonly result: Json;
  /** Null if completed. */
  readonly error: DocumentError | null;
  readonly steps_executed: readonly string[];
  /** What the run left undone without failing. */
  readonly notes: readonly EngineNote[];
}

/** The outcome for a returned value. */
export function completed(returned: unknown): ExecutionEnding {
  const value = isMapping(returned) ? returned : {};
  return {
    status: 'completed',
    result: (value.result ?? null) as Json,
    error: null,
    steps_executed: strings(value.steps_executed),
    notes: Array.isArray(value.notes) ? (value.notes as EngineNote[]) : [],
  };
}

/**
 * The outcome for a workflow failure. Everything except a cancellation is a failed execution, including
 * terminations by an operator and timeouts of Temporal.
 *
 * @param file the playbook, as named by the user
 * @throws anything that is not a workflow failure
 */
export function failedOrCancelled(failure: unknown, file: string | null): ExecutionEnding {
  if (!(failure instanceof WorkflowFailedError)) throw failure;
  const cause = failure.cause as (Error & { type?: unknown; details?: unknown[] }) | undefined;
  const details = cause?.details?.[0];
  const fields = isMapping(details) ? details : {};
  const steps_executed = strings(fields.steps_executed);
  if (cause instanceof CancelledFailure) {
    const reason = messageOf(cause);
    const error = plainError('CANCELLED', reason === 'Workflow canceled' ? 'cancelled' : reason);
    return { status: 'cancelled', result: null, error, steps_executed, notes: [] };
  }
  const error = isMapping(fields.error)
    ? documentError(fields.error, file)
    : plainError(
        typeof cause?.type === 'string' ? cause.type : (cause?.name ?? 'WORKFLOW_FAILED'),
        messageOf(cause ?? failure),
      );
  return { status: 'failed', result: null, error, steps_executed, notes: [] };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
