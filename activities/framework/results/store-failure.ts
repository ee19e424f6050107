/** Maps failures of the store of large results, and of its encryption, to outcomes. */
import { ApplicationFailure } from '@temporalio/common';
import { type ErrorKind } from '../../../src/plan';
import { isSealingProblem } from '../../../src/sealed';
import { invalid, ToolError } from '../tool/outcome';

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
  if (isSealingProblem(error)) {
    const [fix] = error.fix;
    return invalid(`${who}: ${error.message}${fix ? `; ${fix}` : ''}`, error.code);
  }
  if (!(error instanceof ApplicationFailure) || !error.type) return error;
  const { type, message } = error;
  const known = FAILURES[type];
  return known
    ? new ToolError({ ...known, code: type, message: `${who}: ${message.replace(`${type}: `, '')}` })
    : error;
}
