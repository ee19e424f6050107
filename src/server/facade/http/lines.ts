/** Bodies that are written while they are read, at the client's pace. */
import { once } from 'node:events';
import { type Writable } from 'node:stream';
import { type Response } from 'express';

/** Resolves when more may be written, or the client has left. Leaves no listeners behind. */
export async function writtenLine(response: Writable, text: string): Promise<void> {
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

/** Values as JSON, a line each. The head is sent with the first: an error before it is answered as any other. */
export async function sendLines(
  response: Response,
  portions: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  const open = (): void => {
    if (!response.headersSent) response.type('application/x-ndjson');
  };
  for await (const values of portions) {
    if (response.destroyed) return;
    open();
    await writtenLine(response, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  }
  open();
  response.end();
}
