/** Maps failures of the store of large results, and of its encryption, to outcomes. */
import { ApplicationFailure } from '@temporalio/common';
import { type ErrorKind } from '../../../src/language/plan';
import { EnvironmentError } from '../../../src/language/errors';
import { invalidInput, ToolError } from '../tool/outcome';

/** For each store failure: its outcome kind, and whether the same task may succeed later. */
const FAILURES: Readonly<Record<string, { readonly kind: ErrorKind; readonly retryable: boolean }>> = {
  BLOB_MISSING: { kind: 'not_found', retryable: false },
  BLOB_CORRUPT: { kind: 'exception', retryable: false },
  BLOB_UNREADABLE: { kind: 'connection', retryable: true },
  BLOB_NOT_STORED: { kind: 'connection', retryable: true },
};

/**
 * Converts a failure of the store or of its encryption keys to an outcome; returns anything else unchanged.
 *
 * @param who the tool, for the message
 */
export function storeFailure(who: string, error: unknown): unknown {
  // No other attempt helps before somebody mends the keys or the storage.
  if (error instanceof EnvironmentError) {
    const [hint] = error.hint;
    return invalidInput(`${who}: ${error.message}${hint ? `; ${hint}` : ''}`, error.code);
  }
  if (!(error instanceof ApplicationFailure) || !error.type) return error;
  const { type, message } = error;
  const failure = FAILURES[type];
  return failure
    ? new ToolError({ ...failure, code: type, message: `${who}: ${message.replace(`${type}: `, '')}` })
    : error;
}
