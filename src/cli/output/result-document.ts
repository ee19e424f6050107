/** The document that `run --json` prints (DESIGN.md section 11). */
import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { isMapping, type Json } from '../../plan';
import { messageOf } from '../../temporal';

export interface ResultDocument {
  readonly execution_id: string | null;
  readonly workflow_id: string | null;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly result: Json;
  readonly error: DocumentError | null;
  readonly steps_executed: readonly string[];
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

export interface DocumentError {
  readonly code: string;
  readonly kind?: string;
  readonly message: string;
  readonly step: string | null;
  readonly task: string | null;
  readonly iteration: number | null;
  readonly attempt: number | null;
  readonly at: { readonly file: string | null; readonly line: number; readonly column: number } | null;
  /** The tool's own error, and other parts of its outcome (stdout). */
  readonly cause?: Json;
}

export type Ending = Pick<ResultDocument, 'status' | 'result' | 'error' | 'steps_executed'>;

/** What the workflow returned. */
export function completed(returned: unknown): Ending {
  const value = isMapping(returned) ? returned : {};
  return {
    status: 'completed',
    result: (value.result ?? null) as Json,
    error: null,
    steps_executed: strings(value.steps_executed),
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
    return { status: 'cancelled', result: null, error, steps_executed };
  }
  const error = isMapping(known.error)
    ? documentError(known.error, file)
    : plainError(
        typeof cause?.type === 'string' ? cause.type : (cause?.name ?? 'WORKFLOW_FAILED'),
        messageOf(cause ?? failure),
      );
  return { status: 'failed', result: null, error, steps_executed };
}

/** An error without a place in the playbook. */
export function plainError(code: string, message: string): DocumentError {
  return { code, message, step: null, task: null, iteration: null, attempt: null, at: null };
}

/** The error of an execution as the engine tells it. */
export function documentError(error: Record<string, unknown>, file: string | null): DocumentError {
  return {
    code: String(error.code ?? 'UNKNOWN'),
    ...(typeof error.kind === 'string' ? { kind: error.kind } : {}),
    message: String(error.message ?? ''),
    step: typeof error.step === 'string' ? error.step : null,
    task: typeof error.task === 'string' ? error.task : null,
    iteration: typeof error.iteration === 'number' ? error.iteration : null,
    attempt: typeof error.attempt === 'number' ? error.attempt : null,
    at: placeOf(error.at, file),
    ...(error.cause === undefined || error.cause === null ? {} : { cause: error.cause as Json }),
  };
}

/** The plan writes a position as [line, column]; a mapping is accepted too. */
function placeOf(at: unknown, file: string | null): DocumentError['at'] {
  const [line, column] = Array.isArray(at) ? (at as unknown[]) : isMapping(at) ? [at.line, at.column] : [];
  return typeof line === 'number' ? { file, line, column: typeof column === 'number' ? column : 1 } : null;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
