import { type Client } from '@temporalio/client';

/**
 * A call that a signal ends. Unlike the SDK's `withAbortSignal` it takes its listener back, so that a signal may outlive
 * any number of calls, and does not begin under a signal that is aborted already.
 */
export async function abortable<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (!signal) return await call();
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = (): void => own.abort();
  signal.addEventListener('abort', abort);
  try {
    return await client.withAbortSignal(own.signal, call);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
