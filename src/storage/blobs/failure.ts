/** Store errors, in the form that all boundaries of the SDK understand. */
import { ApplicationFailure } from '@temporalio/common';

export type BlobCode = 'BLOB_MISSING' | 'BLOB_CORRUPT' | 'BLOB_UNREADABLE' | 'BLOB_NOT_STORED';

/** Whether retrying the activity can help; a workflow task is retried until the problem is fixed in any case. */
const RETRYABLE: Readonly<Record<BlobCode, boolean>> = {
  BLOB_MISSING: false,
  BLOB_CORRUPT: false,
  // The task has not started: its input could not be fetched.
  BLOB_UNREADABLE: true,
  // The task has run: only the playbook's rules may run it again.
  BLOB_NOT_STORED: false,
};

/** The failure, with the outcome that the playbook's rules see if it ends a task. */
export function blobFailure(code: BlobCode, message: string, cause?: unknown): ApplicationFailure {
  const retryable = code === 'BLOB_UNREADABLE' || code === 'BLOB_NOT_STORED';
  const failure = ApplicationFailure.create({
    message: `${code}: ${message}`,
    type: code,
    nonRetryable: !RETRYABLE[code],
    details: [{ status: 'error', result: null, error: { kind: 'connection', code, message, retryable } }],
  });
  // Our stack trace says nothing about the store, but Temporal would store and show it.
  failure.stack = '';
  if (cause !== undefined) Object.defineProperty(failure, 'reason', { value: cause, enumerable: false });
  return failure;
}

/** The store failure among the causes of `error`. */
export function blobFailureIn(error: unknown): ApplicationFailure | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof ApplicationFailure && one.type?.startsWith('BLOB_')) return one;
  }
  return undefined;
}

/** The innermost message: from the system or the store's SDK. */
export function rootMessage(error: unknown): string {
  let message = String(error);
  for (let one = error as { message?: unknown; cause?: unknown } | undefined; one;) {
    if (typeof one.message === 'string' && one.message !== '') message = one.message;
    one = one.cause as typeof one;
  }
  return message.split('\n')[0]!;
}
