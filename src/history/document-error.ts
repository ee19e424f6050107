/** The error of an execution in documents for programs. */
import { isMapping, type Json } from '../language/plan/json';

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

/** An error without a location in the playbook. */
export function plainError(code: string, message: string): DocumentError {
  return { code, message, step: null, task: null, iteration: null, attempt: null, at: null };
}

/** The error of an execution as reported by the engine. */
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
