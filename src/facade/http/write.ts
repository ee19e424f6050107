import { once } from 'node:events';
import { type Writable } from 'node:stream';

/** Writes at the reader's pace: returns when more may be written, or the reader is gone. Leaves no listeners behind. */
export async function write(response: Writable, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const settled = new AbortController();
  const { signal } = settled;
  const waits = ['drain', 'close'].map((event) => once(response, event, { signal }));
  try {
    await Promise.race(waits);
  } finally {
    settled.abort();
    await Promise.allSettled(waits);
  }
}
