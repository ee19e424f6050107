/**
 * `/api/executions/:id/events` and `/state`: the history as JSON pages, NDJSON or server-sent events, and earlier
 * states.
 */
import { setMaxListeners } from 'node:events';
import { type Request, type Response } from 'express';
import { z } from 'zod';
import { PROFILE_NAMES, unseenAfter } from '../../../../history';
import { compact } from '../../../../language/plan';
import { checkedId } from '../../executions/ids';
import { described } from '../../executions/described';
import { StoredEvents } from '../../executions/stored';
import { paginationOf } from '../../executions/pagination';
import { writtenLine } from '../../http/lines';
import { JsonRows, ROWS, sendJson } from '../../http/portions';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type SpooledRows } from '../../reading/readings';
import { cursorAt, type Line, type Spool } from '../../reading/spool';
import { type RouteServices } from '../../services';
import { Feeds } from './feed';
import { eventSearch } from './search';
import { sendEvents } from './sse';
import { Streams } from './streams';
import { viewRoute } from '../view-route';
import { RouteReply, okAnswer, route, type FacadeRoute, integerFrom, mapping, ofExecution } from '../declare';
import { eventPagination } from '../../documents/executions';

const querySchema = z.object({
  profile: z
    .enum(PROFILE_NAMES)
    .default('noetl')
    .describe('`noetl`: as the official server tells them; `canonical`: all that this one has'),
  bodies: z
    .stringbool()
    .default(false)
    .describe('true: values above the limit of their playbook instead of references to them'),
  stored: z
    .stringbool()
    .default(false)
    .describe(
      'true: of a running execution what the projection has by now, instead of deriving what it has not',
    ),
  page: integerFrom(1).default(1),
  page_size: integerFrom(1).max(10_000).default(1000),
  after: z
    .string()
    .max(200)
    .optional()
    .describe('The `event_id` of a row: those after it, instead of a page by number'),
  last_event_id: z
    .string()
    .max(200)
    .optional()
    .describe('Same as the header Last-Event-ID, for clients that cannot send it'),
});
const when = z.object({
  at: z.string().max(200).optional().describe('An event id or its `seq`: the state after that event'),
});
const page = z.object({
  events: z.array(mapping),
  pagination: eventPagination.extend({
    total_events: z
      .number()
      .nullable()
      .describe('Rows of the profile; null while they are being derived and there are more pages'),
    total_pages: z.number().nullable(),
    next_cursor: z.string().nullable(),
  }),
  divergence: z.unknown().optional(),
});

export function eventRoutes(services: RouteServices): readonly FacadeRoute[] {
  const { readings, stopping } = services;
  const streams = new Streams();
  // Each stream adds a listener.
  if (stopping) setMaxListeners(0, stopping);
  const feeds = new Feeds(readings, services);
  return [
    route('GET /api/executions/{id}/events', {
      ...ofExecution,
      summary: 'The events of an execution: pages, lines, or a live stream',
      description:
        'Depending on the header Accept: JSON pages, NDJSON, or server-sent events, which tail a running execution and resume ' +
        'after `Last-Event-ID`.',
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
        ...DERIVING_ANSWER,
      },
      async handle({ params, query, principal, request, response }) {
        const id = checkedId(params.id);
        const { profile, bodies } = query;
        const accepted = request.accepts(['application/json', 'application/x-ndjson', 'text/event-stream']);
        if (accepted === 'text/event-stream')
          return await streams.during(principal.name, () =>
            feeds.during(id, { profile, bodies, follow: true }, '', ({ spool }) =>
              sendEvents(response, spool, { after: cursorOf(request, query), stopping, profile }),
            ),
          );
        if (accepted === 'application/x-ndjson')
          return await feeds.during(id, { profile, bodies }, principal.name, ({ spool }) =>
            sendRows(response, spool, query.after),
          );
        const stored = await storedPage(services, id, query);
        if (stored) return stored;
        const { page: number, page_size, after } = query;
        const need = { request: { profile, bodies }, count: number * page_size + 1, ...compact({ after }) };
        const sent = await readings.rowsOf({ id, principal, response }, need, async (rows) => {
          const body = await pageOf(rows, query);
          if (!response.destroyed) await sendJson(response, body);
        });
        return sent instanceof RouteReply ? sent : undefined;
      },
    }),
    eventSearch,
    viewRoute('state', 'GET /api/executions/{id}/state', {
      summary: 'The state of an execution, now or after an event',
      query: when,
      answers: okAnswer('The state', mapping),
      about: ({ query: { at } }) => ({ at: at !== undefined && /^\d+$/.test(at) ? Number(at) : at }),
    }),
  ];
}

type Query = z.infer<typeof querySchema>;

/** Undefined if the tables of the projection do not have the execution, or not like this. */
async function storedPage(
  { client, database }: RouteServices,
  id: string,
  query: Query,
): Promise<object | undefined> {
  const { profile } = query;
  if (query.bodies || profile === 'formal' || profile === 'extended' || !database) return undefined;
  const info = await described(client, id);
  for (const extent of ['part', 'now'] as const) {
    const stored = await StoredEvents.of({ client, database }, id, info, extent);
    const page = await stored?.page(profile, query);
    if (page || !stored) return page;
  }
  return undefined;
}

function cursorOf(request: Request, query: Query): string | undefined {
  return request.get('last-event-id') ?? query.last_event_id ?? query.after;
}

/** One a line, while they are derived. The head is sent with the first: an error before it is answered as any other. */
async function sendRows(response: Response, spool: Spool, after: string | undefined): Promise<void> {
  const isUnseen = unseenAfter(after);
  const open = (): void => {
    if (!response.headersSent) response.type('application/x-ndjson');
  };
  for (let index = 0; !response.destroyed; index++) {
    index = spool.firstUnseen(isUnseen, index);
    const lines = await spool.block(index);
    if (!lines) break;
    open();
    await writtenLine(
      response,
      lines.map(({ event_id, row, position }) => (isUnseen(event_id, position) ? `${row}\n` : '')).join(''),
    );
  }
  open();
  response.end();
}

async function pageOf({ spool, divergence }: SpooledRows, query: Query): Promise<object> {
  const { page, page_size, profile } = query;
  const { lines, total } = await spool.page((page - 1) * page_size, page_size, unseenAfter(query.after));
  const pages = paginationOf(query, spool.isComplete ? total : null);
  const last = lines.at(-1);
  return {
    events: new JsonRows(portionsOf(lines)),
    pagination: { ...pages, next_cursor: pages.has_next && last ? cursorAt(last, profile) : null },
    ...(divergence ? { divergence } : {}),
  };
}

function* portionsOf(lines: readonly Line[]): Generator<readonly string[], void> {
  for (let first = 0; first < lines.length; first += ROWS)
    yield lines.slice(first, first + ROWS).map(({ row }) => row);
}
