import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until the answer is something. @throws after `limitMs`, with the last answer's reason */
export async function until<T>(
  ask: () => Promise<T | undefined | null | false>,
  limitMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) throw new Error(`still not so after ${limitMs} ms`, { cause: last });
    await sleep(50);
  }
}
