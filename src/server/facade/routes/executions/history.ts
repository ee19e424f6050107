/** `/api/executions/:id/history`: the Temporal history of an execution, in the format of Temporal's own tools. */
import { type FacadeRoute, route, ofExecution } from '../declare';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { type Response } from 'express';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { z } from 'zod';
import { type HistoryEvent, unpackPayloads } from '../../../../history';
import { hasCode } from '../../../../language/errors';
import { pagesOf } from '../../executions/ids';
import { writtenLine } from '../../http/lines';
import { type RouteServices } from '../../services';
import { Streams } from '../events/streams';

/** If a running execution adds no events for this long, its history is complete so far. */
const QUIET_MS = 120;
const HEARTBEAT_MS = 15_000;

export function history({ client, stopping }: RouteServices): readonly FacadeRoute[] {
  const streams = new Streams();
  return [
    route('GET /api/executions/{id}/history', {
      ...ofExecution,
      summary: 'The Temporal history of an execution, over all runs of its chain',
      description:
        'In the format of `temporal workflow show --output json`, for replayers: values are as Temporal stores them, encrypted ' +
        'ones too. With `follow=true` a stream for clients that derive events themselves, as the console does: values decoded, ' +
        'one line of JSON per page, and new events as they happen.',
      query: z.object({
        follow: z.stringbool().default(false).describe('true: to its end, line by line'),
      }),
      answers: {
        200: {
          description: 'The history',
          body: z.object({ events: z.array(z.looseObject({})) }),
          content: {
            'application/x-ndjson':
              '`{events}`; `{caught_up: true}` when nothing follows for now; `{superseded: true}` after a reset: read ' +
              'again; `{error: {code, message}}`; last `{end: true}`',
          },
        },
      },
      async handle({ params: { id }, query: { follow }, principal, response }) {
        if (!follow) return await whole(response, pagesOf(client, id));
        const closed = new AbortController();
        response.once('close', () => closed.abort());
        stopping?.addEventListener('abort', () => closed.abort(), { once: true, signal: closed.signal });
        const converter = client.options.loadedDataConverter;
        const pages = pagesOf(client, id, { follow: true, signal: closed.signal });
        await streams.during(principal.name, () =>
          followed(response, pages, (events) => unpackPayloads(events, converter)),
        );
        return undefined;
      },
    }),
  ];
}

type PagesOfIt = AsyncGenerator<readonly HistoryEvent[], void>;

/** Events of a portion: a page of Temporal's has some MB, which take the event loop a tenth of a second. */
const PORTION = 25;

/** A list of JSON, without its brackets. */
async function* jsonOf(events: readonly HistoryEvent[], between: string): AsyncGenerator<string, void> {
  for (let first = 0; first < events.length; first += PORTION) {
    const some = events.slice(first, first + PORTION);
    const { events: plain } = JSON.parse(historyToJSON({ events: some })) as { events: unknown[] };
    yield `${first === 0 ? '' : between}${plain.map((event) => JSON.stringify(event)).join(between)}`;
    await turn();
  }
}

async function whole(response: Response, pages: PagesOfIt): Promise<undefined> {
  let isFirst = true;
  // At most one page is in memory.
  for await (const events of pages) {
    if (isFirst) response.type('application/json');
    if (response.destroyed) return undefined;
    await writtenLine(response, isFirst ? '{"events":[' : ',\n');
    for await (const text of jsonOf(events, ',\n')) await writtenLine(response, text);
    isFirst = false;
  }
  response.end(']}\n');
  return undefined;
}

/** @throws errors of reading the history, as long as nothing has been written */
async function followed(
  response: Response,
  pages: PagesOfIt,
  readable: (events: readonly HistoryEvent[]) => Promise<readonly HistoryEvent[]>,
): Promise<void> {
  let next = pages.next();
  const first = await next;
  next = Promise.resolve(first);
  response.set({ 'content-type': 'application/x-ndjson; charset=utf-8', 'x-accel-buffering': 'no' });
  let isInLine = false;
  const beat = setInterval(() => {
    if (!isInLine && !response.writableNeedDrain) response.write('\n');
  }, HEARTBEAT_MS);
  const say = (line: object): Promise<void> => writtenLine(response, `${JSON.stringify(line)}\n`);
  let isQuiet = false;
  try {
    while (!response.destroyed) {
      const page = isQuiet ? await next : await Promise.race([next, sleep(QUIET_MS, undefined)]);
      if (page === undefined) {
        await say({ caught_up: true });
        isQuiet = true;
        continue;
      }
      if (page.done) break;
      isQuiet = false;
      const events = await readable(page.value);
      isInLine = true;
      await writtenLine(response, '{"events":[');
      for await (const text of jsonOf(events, ',')) await writtenLine(response, text);
      await writtenLine(response, ']}\n');
      isInLine = false;
      next = pages.next();
    }
    response.end('{"end":true}\n');
  } catch (error) {
    if (response.destroyed) return;
    const { code = 'INTERRUPTED', message } = error as { code?: unknown; message?: string };
    const failure = { error: { code: String(code), message: message ?? '' } };
    response.end(`${JSON.stringify(hasCode(error, 'SUPERSEDED') ? { superseded: true } : failure)}\n`);
  } finally {
    clearInterval(beat);
  }
}
