import { setMaxListeners } from 'node:events';
import { type Client } from '@temporalio/client';

/**
 * A call that can be aborted by a signal. Unlike the SDK's `withAbortSignal` it removes its listener, so a signal
 * may be used for any number of calls, it does not start if the signal is already aborted, and it does not wait for
 * the retries of a call to a server that is gone, which take 20 s.
 *
 * @throws AbortError, or what the call throws
 */
export async function abortable<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (!signal) return await call();
  signal.throwIfAborted();
  const own = new AbortController();
  setMaxListeners(0, own.signal); // the SDK adds one for each request, and keeps it
  const aborted = new Promise<never>((_, reject) => {
    own.signal.addEventListener('abort', () => reject(own.signal.reason as Error));
  });
  const abort = (): void => own.abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([client.withAbortSignal(own.signal, call), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
