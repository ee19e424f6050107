/**
 * `/api/executions/:id/events` and `/state`: the history as JSON pages, NDJSON or server-sent events, and earlier
 * states.
 */
import { setMaxListeners } from 'node:events';
import { type Request, type Response } from 'express';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  Derivation,
  eventStream,
  PROFILE_NAMES,
  PROFILES,
  type Row,
  stateAt,
  unseenAfter,
} from '../../../history';
import { FacadeError } from '../../http/errors';
import { sendLines } from '../../http/lines';
import { ok, type Route, route } from '../../http/route';
import { type FacadeServices } from '../../services';
import { pagination, paginationOf } from '../pages';
import { checkedId, executionPath, pagesOf } from '../../executions/ids';
import { Feeds, type Open } from './feed';
import { sendEvents } from './sse';
import { Streams } from './streams';

const querySchema = z.object({
  profile: z.enum(PROFILE_NAMES).default('canonical'),
  bodies: z
    .stringbool()
    .default(false)
    .meta({ description: 'true: values above the limit of their playbook instead of references to them' }),
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(10_000).default(1000),
  after: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'An event id: the events after it, instead of a page by number' }),
  last_event_id: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Same as the header Last-Event-ID, for clients that cannot send it' }),
});
const when = z.object({
  at: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'An event id or its `seq`: the state after that event' }),
});
const page = z.object({
  events: z.array(z.record(z.string(), z.unknown())),
  pagination: pagination.extend({ next_cursor: z.string().nullable() }),
  divergence: z.unknown().optional(),
});

export function eventRoutes({ client, stopping }: FacadeServices): readonly Route[] {
  const converter = client.options.loadedDataConverter;
  const streams = new Streams();
  // Each stream adds a listener.
  if (stopping) setMaxListeners(0, stopping);
  const open: Open = (id, signal) => pagesOf(client, id, { follow: true, signal });
  const [feeds, wholeFeeds] = [false, true].map((bodies) => new Feeds(open, { converter, bodies })) as [
    Feeds,
    Feeds,
  ];
  return [
    route('GET /api/executions/{id}/events', {
      scope: 'read',
      summary: 'The events of an execution: pages, lines, or a live stream',
      description:
        'Depending on the header Accept: JSON pages, NDJSON, or server-sent events, which tail a running execution and resume ' +
        'after `Last-Event-ID`.',
      params: executionPath,
      query: querySchema,
      answers: {
        200: {
          description: 'The events, oldest first',
          body: page,
          content: {
            'application/x-ndjson': 'One event per line',
            'text/event-stream': 'One event per message; `event: end` when the execution has ended',
          },
        },
        204: { description: 'A stream with no more events' },
      },
      errors: [404, 502],
      async handle({ params, query, principal, request, response }) {
        const id = checkedId(params.id);
        const accepted = request.accepts(['application/json', 'application/x-ndjson', 'text/event-stream']);
        if (accepted === 'text/event-stream')
          return await streams.during(principal.name, () =>
            live(request, response, id, query.bodies ? wholeFeeds : feeds, query, stopping),
          );
        if (accepted === 'application/x-ndjson')
          return await sendLines(response, rowsOf(client, id, query, derivationFor(client, query)));
        return await pageOf(client, id, query);
      },
    }),
    route('GET /api/executions/{id}/state', {
      scope: 'read',
      summary: 'The state of an execution, now or after an event',
      params: executionPath,
      query: when,
      answers: ok('The state', z.record(z.string(), z.unknown())),
      errors: [404, 502],
      async handle({ params: { id }, query: { at } }) {
        const pages = pagesOf(client, id);
        const place = at === undefined ? Infinity : /^\d+$/.test(at) ? Number(at) : at;
        const { state, lastSeq } = await stateAt(pages, place, { converter });
        if (state) return state;
        throw new FacadeError(
          404,
          'EVENT_NOT_FOUND',
          `execution ${id} has no event ${at}; it has ${lastSeq} events`,
        );
      },
    }),
  ];
}

type Query = z.infer<typeof querySchema>;

async function live(
  request: Request,
  response: Response,
  id: string,
  feeds: Feeds,
  query: Query,
  stopping?: AbortSignal,
): Promise<void> {
  const feed = feeds.join(id);
  const after = request.get('last-event-id') ?? query.last_event_id ?? query.after;
  try {
    await sendEvents(response, feed, {
      project: PROFILES[query.profile].project(),
      after,
      stopping,
    });
  } finally {
    feeds.leave(id, feed);
  }
}

/** The rows of the events that follow `after`, read as they are asked for: at most one page of history is in memory. */
async function* rowsOf(
  client: Client,
  id: string,
  { profile, after }: Query,
  derivation: Derivation,
): AsyncGenerator<Row[]> {
  const project = PROFILES[profile].project();
  const isUnseen = unseenAfter(after);
  for await (const events of eventStream(pagesOf(client, id), derivation))
    yield events.flatMap((event) => {
      // A projection must see every event, including those before.
      const rows = project(event);
      return isUnseen(event.event_id) ? rows : [];
    });
}

function derivationFor({ options }: Client, { bodies }: Query): Derivation {
  return new Derivation({ converter: options.loadedDataConverter, bodies });
}

async function pageOf(client: Client, id: string, query: Query): Promise<object> {
  const derivation = derivationFor(client, query);
  const rows: Row[] = [];
  for await (const some of rowsOf(client, id, query, derivation)) rows.push(...some);
  const { page, page_size } = query;
  const first = (page - 1) * page_size;
  const shown = rows.slice(first, first + page_size);
  const pages = paginationOf(query, rows.length);
  const { divergence } = derivation;
  return {
    events: shown,
    pagination: {
      ...pages,
      next_cursor: pages.has_next ? String(shown.at(-1)?.['event_id']).replace(/\/[a-z]+$/, '') : null,
    },
    ...(divergence ? { divergence } : {}),
  };
}
