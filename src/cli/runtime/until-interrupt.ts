import { onInterrupt } from './signals';

/**
 * Does `work` to its end, or until Ctrl-C, which aborts its signal.
 *
 * @returns whether it was interrupted
 */
export async function untilInterrupt(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const stop = new AbortController();
  const quiet = onInterrupt(() => stop.abort());
  try {
    await work(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    // Loaded only when it decides: a facade client does not need it.
    const { isAborted } = await import('../../temporal/client/chain.js');
    if (!isAborted(error)) throw error;
  } finally {
    quiet();
  }
  return stop.signal.aborted;
}
