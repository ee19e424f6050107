/** A response of server-sent events, at the client's pace. */
import { messageOf } from '../../../../language/errors';
import { once } from 'node:events';
import { type Response } from 'express';

const HEARTBEAT_MS = 15_000;
/** How long the response head is delayed if there are no events yet. */
const OPEN_MS = 250;

/** No more events follow. */
export const END = 'event: end\ndata: {}\n\n';
/** An EventSource reconnects after this delay; another server may have taken over by then. */
export const COME_BACK = 'retry: 2000\n: the server is stopping\n\n';

export function failureFrame(error: unknown): string {
  return `event: failure\ndata: ${JSON.stringify({ error: messageOf(error) })}\n\n`;
}

/** The response: its head is sent with the first event, or after `OPEN_MS`. */
export class EventStream {
  private readonly opener = setTimeout(() => this.open(), OPEN_MS);
  private beat: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: Response,
    private readonly heartbeatMs = HEARTBEAT_MS,
  ) {}

  /** Waits while the client reads more slowly than we write. */
  async write(text: string, signal: AbortSignal): Promise<void> {
    this.open();
    if (!signal.aborted && !this.response.write(text)) await once(this.response, 'drain', { signal });
  }

  async end(last: string | undefined): Promise<void> {
    if (this.beat === undefined && last === END) this.response.status(204);
    else if (last !== undefined) {
      this.open();
      this.response.write(last);
    }
    const { response } = this;
    // Node finishes no response whose client has left.
    if (response.destroyed || response.closed) return;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.end(resolve);
    });
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
      // No keep-alive for a client that does not read.
      if (!response.writableNeedDrain) response.write(': alive\n\n');
    }, this.heartbeatMs);
  }
}
