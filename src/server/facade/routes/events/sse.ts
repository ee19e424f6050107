/** Server-sent events of an execution, from the client's last event on, at the client's pace. */
import { type Response } from 'express';
import { type ProfileName, unseenAfter } from '../../../../history';
import { cursorAt, type Line, type Spool } from '../../reading/spool';
import { COME_BACK, END, failureFrame, EventStream } from './stream';

export interface SseOptions {
  /** `Last-Event-ID`: the id of the last event the client received. */
  readonly after?: string;
  readonly heartbeatMs?: number;
  readonly profile?: ProfileName;
  /** Aborted when this server shuts down: clients reconnect and continue after their last event. */
  readonly stopping?: AbortSignal;
}

/**
 * Writes the rows until the execution ends (`event: end`) or the client disconnects. A client that already has all
 * events of a closed execution gets 204, which stops an EventSource from reconnecting.
 *
 * @throws errors of reading the history, as long as nothing has been written
 */
export async function sendEvents(
  response: Response,
  spool: Pick<Spool, 'block' | 'firstUnseen'>,
  options: SseOptions,
): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const { stopping } = options;
  // Not a race with a promise that settles at the end: it would keep every block until then.
  const left = new AbortController();
  const leave = (): void => left.abort();
  closed.signal.addEventListener('abort', leave, { once: true });
  stopping?.addEventListener('abort', leave, { once: true, signal: closed.signal });
  if (stopping?.aborted) leave();
  await spool.block(0, left.signal);
  const stream = new EventStream(response, options.heartbeatMs);
  const isUnseen = unseenAfter(options.after);
  try {
    for (let index = 0; ; index++) {
      index = spool.firstUnseen(isUnseen, index);
      const lines = await spool.block(index, left.signal);
      if (!lines) break;
      const unseen = lines.filter((line) => isUnseen(line.event_id, line.position));
      const frames = unseen.map((line) => frame(line, options.profile)).join('');
      if (frames !== '') await stream.write(frames, closed.signal);
    }
    if (stopping?.aborted) await stream.end(closed.signal.aborted ? undefined : COME_BACK);
    else await stream.end(closed.signal.aborted ? undefined : END);
  } catch (error) {
    await stream.end(closed.signal.aborted ? undefined : failureFrame(error));
  } finally {
    stream.close();
  }
}

function frame(line: Line, profile?: ProfileName): string {
  return `id: ${cursorAt(line, profile)}\nevent: ${line.event_type}\ndata: ${line.row}\n\n`;
}
