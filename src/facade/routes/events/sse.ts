/** Server-sent events: what an execution did and does, from where the client left off, at the client's pace. */
import { once } from 'node:events';
import { type Response } from 'express';
import { type CanonicalEvent, type Projection, unseenAfter } from '../../../history';
import { type Feed } from './feed';

const HEARTBEAT_MS = 15_000;
/** So long a client waits for the head of its answer when there is nothing to say yet. */
const OPEN_MS = 250;

export interface SseOptions {
  readonly project: Projection;
  /** `Last-Event-ID`: the id of the last event the client has. */
  readonly after?: string;
  readonly heartbeatMs?: number;
  /** Aborted when this server is about to end: clients are told to come back, and go on after their last event. */
  readonly stopping?: AbortSignal;
}

/** An EventSource comes back by itself, after this long; by then another server may have taken over. */
const COME_BACK = 'retry: 2000\n: the server is stopping\n\n';

/**
 * Writes the feed until the execution ends (`event: end`) or the client goes. A client that has everything of an
 * execution that is over gets 204: that is how an EventSource is told to stop asking.
 *
 * @throws what the history's reading throws, as long as nothing was written
 */
export async function sendEvents(response: Response, feed: Feed, options: SseOptions): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { stopping } = options;
  const left = new Promise<readonly CanonicalEvent[]>((resolve) => {
    gone.signal.addEventListener('abort', () => resolve([]), { once: true });
    stopping?.addEventListener('abort', () => resolve([]), { once: true, signal: gone.signal });
    if (stopping?.aborted) resolve([]);
  });
  await Promise.race([feed.from(0), left]);
  const stream = new Stream(response, options.heartbeatMs ?? HEARTBEAT_MS);
  const isUnseen = unseenAfter(options.after);
  try {
    for (let position = 0; ;) {
      const events = await Promise.race([feed.from(position), left]);
      if (events.length === 0) break;
      position += events.length;
      for (const event of events) {
        // A projection is told of every event, also of those the client has.
        const rows = options.project(event);
        if (!isUnseen(event.event_id)) continue;
        for (const row of rows) await stream.write(frame(event, row), gone.signal);
      }
    }
    if (stopping?.aborted) await stream.end(gone.signal.aborted ? undefined : COME_BACK);
    else await stream.end(gone.signal.aborted ? undefined : 'event: end\ndata: {}\n\n');
  } catch (error) {
    const failure = JSON.stringify({ error: (error as Error).message });
    await stream.end(gone.signal.aborted ? undefined : `event: failure\ndata: ${failure}\n\n`);
  } finally {
    stream.close();
  }
}

function frame(event: CanonicalEvent, row: object): string {
  return `id: ${event.event_id}\nevent: ${event.event_type}\ndata: ${JSON.stringify(row)}\n\n`;
}

/** The answer: its head goes out with the first event, or when the first is long in coming. */
class Stream {
  private readonly opener = setTimeout(() => this.open(), OPEN_MS);
  private beat: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: Response,
    private readonly heartbeatMs: number,
  ) {}

  /** Waits while the client reads slower than we write. */
  async write(text: string, signal: AbortSignal): Promise<void> {
    this.open();
    if (!signal.aborted && !this.response.write(text)) await once(this.response, 'drain', { signal });
  }

  async end(last: string | undefined): Promise<void> {
    if (this.beat === undefined && last?.startsWith('event: end')) this.response.status(204);
    else if (last !== undefined) {
      this.open();
      this.response.write(last);
    }
    await new Promise<void>((resolve) => this.response.end(resolve));
  }

  close(): void {
    clearTimeout(this.opener);
    clearInterval(this.beat);
  }

  private open(): void {
    if (this.beat !== undefined) return;
    const { response } = this;
    response.set({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    this.beat = setInterval(() => {
      // A client that reads nothing needs no sign of life.
      if (!response.writableNeedDrain) response.write(': alive\n\n');
    }, this.heartbeatMs);
  }
}
