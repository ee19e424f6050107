/** When to stop reading what a program printed that has ended, but whose output somebody may hold open. */
import { type Readable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** In each, megabytes may be read; a descendant that nobody could end may print for ever. */
const MOST_TURNS = 64;

/**
 * Resolves after that time, once a turn of the event loop has read nothing. The time alone is not enough: in a busy
 * process, timers come before what arrived long ago, which would be lost.
 *
 * @param ms for what is on its way
 * @param over there is no need to wait any longer
 */
export async function silence(
  streams: readonly (Readable | null)[],
  ms: number,
  over: AbortSignal,
): Promise<void> {
  let isSilent = false;
  const read = (): void => void (isSilent = false);
  for (const stream of streams) stream?.on('data', read);
  await sleep(ms, undefined, { signal: over }).catch(() => undefined);
  for (let turns = 0; !isSilent && turns < MOST_TURNS && !over.aborted; turns++) {
    isSilent = true;
    await turn();
  }
  for (const stream of streams) stream?.off('data', read);
}
