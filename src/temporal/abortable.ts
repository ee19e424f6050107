import { type Client } from '@temporalio/client';

/**
 * A call that can be aborted by a signal. Unlike the SDK's `withAbortSignal` it removes its listener, so a signal
 * may be used for any number of calls, and it does not start if the signal is already aborted.
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
