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
    // Loaded only for an error: a facade client does not need it.
    const { isAborted } = await import('../../temporal/chain.js');
    if (!stop.signal.aborted || !isAborted(error)) throw error;
  } finally {
    quiet();
  }
  return stop.signal.aborted;
}
