/** How an execution ended, from what its workflow returned or failed with. */
import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { type Note } from '../engine';
import { type DocumentError, documentError, plainError } from '../history/document-error';
import { isMapping, type Json } from '../plan';
import { messageOf } from '../errors';

export interface Ending {
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** Null unless it completed. */
  readonly result: Json;
  /** Null when it completed. */
  readonly error: DocumentError | null;
  readonly steps_executed: readonly string[];
  /** What the run left undone without failing. */
  readonly notes: readonly Note[];
}

/** What the workflow returned. */
export function completed(returned: unknown): Ending {
  const value = isMapping(returned) ? returned : {};
  return {
    status: 'completed',
    result: (value.result ?? null) as Json,
    error: null,
    steps_executed: strings(value.steps_executed),
    notes: Array.isArray(value.notes) ? (value.notes as Note[]) : [],
  };
}

/**
 * What the workflow's failure says. Everything that is not a cancellation is a failed execution, also one that an
 * operator terminated or that Temporal timed out.
 *
 * @param file the playbook, as the user named it
 * @throws whatever is not the end of a workflow
 */
export function failedOrCancelled(failure: unknown, file: string | null): Ending {
  if (!(failure instanceof WorkflowFailedError)) throw failure;
  const cause = failure.cause as (Error & { type?: unknown; details?: unknown[] }) | undefined;
  const details = cause?.details?.[0];
  const known = isMapping(details) ? details : {};
  const steps_executed = strings(known.steps_executed);
  if (cause instanceof CancelledFailure) {
    const reason = messageOf(cause);
    const error = plainError('CANCELLED', reason === 'Workflow canceled' ? 'cancelled' : reason);
    return { status: 'cancelled', result: null, error, steps_executed, notes: [] };
  }
  const error = isMapping(known.error)
    ? documentError(known.error, file)
    : plainError(
        typeof cause?.type === 'string' ? cause.type : (cause?.name ?? 'WORKFLOW_FAILED'),
        messageOf(cause ?? failure),
      );
  return { status: 'failed', result: null, error, steps_executed, notes: [] };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
