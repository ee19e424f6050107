import { setTimeout as sleep } from 'node:timers/promises';

type Nothing = undefined | null | false | '';

/** Long enough to mean that it hangs, on a busy machine too. */
const LIMIT_MS = 80_000;

/**
 * Asks again until the answer is something; an error counts as none.
 *
 * @throws after `limitMs`, with the last error as its cause
 */
export async function until<T>(
  ask: () => Promise<T | Nothing> | T | Nothing,
  limitMs = LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false && answer !== '') return answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(`still not so after ${limitMs} ms: ${ask.toString()}`, { cause: last });
    await sleep(50);
  }
}
