/** Server-sent events of an execution, from the client's last event on, at the client's pace. */
import { type Response } from 'express';
import { type CanonicalEvent, type Projection, unseenAfter } from '../../../history';
import { type Feed } from './feed';
import { COME_BACK, END, failureFrame, Stream } from './stream';

export interface SseOptions {
  readonly project: Projection;
  /** `Last-Event-ID`: the id of the last event the client received. */
  readonly after?: string;
  readonly heartbeatMs?: number;
  /** Aborted when this server shuts down: clients reconnect and continue after their last event. */
  readonly stopping?: AbortSignal;
}

/**
 * Writes the feed until the execution ends (`event: end`) or the client disconnects. A client that already has all
 * events of a closed execution gets 204, which stops an EventSource from reconnecting.
 *
 * @throws errors of reading the history, as long as nothing has been written
 */
export async function sendEvents(response: Response, feed: Feed, options: SseOptions): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const { stopping } = options;
  const left = new Promise<readonly CanonicalEvent[]>((resolve) => {
    closed.signal.addEventListener('abort', () => resolve([]), { once: true });
    stopping?.addEventListener('abort', () => resolve([]), { once: true, signal: closed.signal });
    if (stopping?.aborted) resolve([]);
  });
  await Promise.race([feed.from(0), left]);
  const stream = new Stream(response, options.heartbeatMs);
  const isUnseen = unseenAfter(options.after);
  try {
    for (let position = 0; ;) {
      const events = await Promise.race([feed.from(position), left]);
      if (events.length === 0) break;
      position += events.length;
      for (const event of events) {
        // A projection must see every event, including those the client has.
        const rows = options.project(event);
        if (!isUnseen(event.event_id)) continue;
        for (const row of rows) await stream.write(frame(event, row), closed.signal);
      }
    }
    if (stopping?.aborted) await stream.end(closed.signal.aborted ? undefined : COME_BACK);
    else await stream.end(closed.signal.aborted ? undefined : END);
  } catch (error) {
    await stream.end(closed.signal.aborted ? undefined : failureFrame(error));
  } finally {
    stream.close();
  }
}

function frame(event: CanonicalEvent, row: object): string {
  return `id: ${event.event_id}\nevent: ${event.event_type}\ndata: ${JSON.stringify(row)}\n\n`;
}
