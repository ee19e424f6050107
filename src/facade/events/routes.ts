/** `/api/executions/:id/events` and `/state`: history as JSON pages, NDJSON, server-sent events, and time travel. */
import { once } from 'node:events';
import { type Request, type Response, Router } from 'express';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  Derivation,
  eventStream,
  HistoryError,
  PROFILE_NAMES,
  PROFILES,
  type Row,
  stateAt,
  StoredPayloadError,
  unseenAfter,
} from '../../history';
import { ExecutionNotFoundError, historyPages } from '../../temporal';
import { FacadeError } from '../errors';
import { parsed, temporalId } from '../requests';
import { Feeds } from './feed';
import { sendEvents } from './sse';

const profile = z.enum(PROFILE_NAMES).default('canonical');
const asked = z.object({
  profile,
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(10_000).default(1000),
  /** An event id: the events after it, instead of a page by number. */
  after: z.string().max(200).optional(),
  last_event_id: z.string().max(200).optional(),
});
const when = z.object({ at: z.string().max(200).optional() });

export function eventRoutes(client: Client): Router {
  const router = Router();
  const converter = client.options.loadedDataConverter;
  const feeds = new Feeds((id, signal) => historyPages(client, id, { follow: true, signal }), converter);

  router.get('/:id/events', async (request, response) => {
    const id = temporalId(request.params.id);
    const wanted = parsed(asked, request.query);
    const accepted = request.accepts(['application/json', 'application/x-ndjson', 'text/event-stream']);
    try {
      if (accepted === 'text/event-stream') return await live(request, response, id, feeds, wanted);
      if (accepted === 'application/x-ndjson') return await lines(response, client, id, wanted);
      response.json(await pageOf(client, id, wanted));
    } catch (error) {
      throw known(error, request.params.id);
    }
  });

  router.get('/:id/state', async (request, response) => {
    const { at } = parsed(when, request.query);
    const { id } = request.params;
    try {
      const pages = historyPages(client, temporalId(id));
      const place = at === undefined ? Infinity : /^\d+$/.test(at) ? Number(at) : at;
      const { state, lastSeq } = await stateAt(pages, place, { converter });
      if (!state)
        throw new FacadeError(
          404,
          'EVENT_NOT_FOUND',
          `execution ${id} has no event ${at}; it has ${lastSeq} events`,
        );
      response.json(state);
    } catch (error) {
      throw known(error, id);
    }
  });

  return router;
}

type Wanted = z.infer<typeof asked>;

async function live(
  request: Request,
  response: Response,
  id: string,
  feeds: Feeds,
  wanted: Wanted,
): Promise<void> {
  const feed = feeds.join(id);
  const after = request.get('last-event-id') ?? wanted.last_event_id ?? wanted.after;
  try {
    await sendEvents(response, feed, { project: PROFILES[wanted.profile].project(), after });
  } finally {
    feeds.leave(id, feed);
  }
}

/** Line by line as the history is read: no more than a page of it is held. */
async function lines(response: Response, client: Client, id: string, wanted: Wanted): Promise<void> {
  const project = PROFILES[wanted.profile].project();
  const isUnseen = unseenAfter(wanted.after);
  const derivation = new Derivation({ converter: client.options.loadedDataConverter });
  for await (const events of eventStream(historyPages(client, id), derivation)) {
    response.type('application/x-ndjson');
    const text = events
      .flatMap((event) => {
        const rows = project(event);
        return isUnseen(event.event_id) ? rows : [];
      })
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
    if (response.destroyed) return;
    if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

async function pageOf(client: Client, id: string, wanted: Wanted): Promise<object> {
  const project = PROFILES[wanted.profile].project();
  const isUnseen = unseenAfter(wanted.after);
  const derivation = new Derivation({ converter: client.options.loadedDataConverter });
  const rows: Row[] = [];
  for await (const events of eventStream(historyPages(client, id), derivation)) {
    for (const event of events) {
      const projected = project(event);
      if (isUnseen(event.event_id)) rows.push(...projected);
    }
  }
  const { page, page_size } = wanted;
  const first = (page - 1) * page_size;
  const shown = rows.slice(first, first + page_size);
  const hasNext = first + page_size < rows.length;
  const { divergence } = derivation;
  return {
    events: shown,
    pagination: {
      page,
      page_size,
      total_events: rows.length,
      total_pages: Math.max(1, Math.ceil(rows.length / page_size)),
      has_next: hasNext,
      has_prev: page > 1,
      next_cursor: hasNext ? String(shown.at(-1)?.['event_id']).replace(/\/[a-z]+$/, '') : null,
    },
    ...(divergence ? { divergence } : {}),
  };
}

/** What is wrong with the request, or with the history, as an answer; anything else as it is. */
export function known(error: unknown, id: string): unknown {
  if (error instanceof ExecutionNotFoundError)
    return new FacadeError(404, 'EXECUTION_NOT_FOUND', `Execution not found: ${id}`);
  if (error instanceof StoredPayloadError) return new FacadeError(502, error.code, error.message);
  if (error instanceof HistoryError) return new FacadeError(422, error.code, error.message);
  return error;
}
