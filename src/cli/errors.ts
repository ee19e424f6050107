import { CodedError, type ErrorParts } from '../language/errors';

/** An error in the command, its input or the playbook: one clear line, exit code 2, never a stack trace. */
export class UsageError extends CodedError {
  constructor(message: string, parts?: ErrorParts, code = 'USAGE') {
    super(code, message, parts);
  }
}

/** Exit codes; scripts rely on them. */
export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Codes of other modules for requests that are invalid because of the command's arguments. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  'BLOB_UNAVAILABLE',
  'BULK_NOT_FOUND',
  'BULK_OVER',
  'BULK_TOO_MANY',
  'HISTORY',
  'INPUT_TOO_LARGE',
  'REFUSED',
  'RERUN_DIVERGED',
  'RERUN_GRAPH_DIFFERS',
  'RERUN_STEP_NOT_RUN',
  'RERUN_STEP_UNKNOWN',
  'SCHEDULE_EXISTS',
  'SCHEDULE_INVALID',
  'SCHEDULE_NOT_FOUND',
  'STORAGE_INVALID',
  'STORAGE_NOT_CONFIGURED',
  'STORAGE_OWNERS_UNKNOWN',
  'WHERE_INVALID',
]);

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  const isUsage = error instanceof UsageError || (error instanceof CodedError && USAGE_CODES.has(error.code));
  return isUsage ? EXIT.usage : EXIT.failed;
}
