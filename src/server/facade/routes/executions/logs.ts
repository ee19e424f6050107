/** `GET /api/executions/{id}/logs`: output of an execution's tasks, as pages, lines, or a live stream; and where what is. */
import {
  type FacadeRoute,
  route,
  noStorage,
  component,
  integerFrom,
  ofExecution,
  okAnswer,
} from '../declare';
import { type Request, type Response } from 'express';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  beforePlace,
  followLines,
  isPlace,
  lastLines,
  type LogLine,
  logParts,
  type LogStore,
  type Placed,
  storedLines,
  wantedLines,
} from '../../../../telemetry/logs';
import {
  executionNotFound,
  sinceLastTask,
  temporalStatus,
  untilEnded,
  workflowId,
} from '../../../../temporal/client';
import { checkedId } from '../../executions/ids';
import { sendLines } from '../../http/lines';
import { type FacadeServices } from '../../services';
import { COME_BACK, END, failureFrame, EventStream } from '../events/stream';
import { Streams } from '../events/streams';

const place = z.string().refine(isPlace, {
  error: 'not a place of a log: the `next_cursor` of a page, or the id of a streamed event',
});

const filterSchema = z.object({
  step: z.string().max(200).optional().describe('Lines of this step only'),
  task: z
    .string()
    .max(400)
    .optional()
    .describe('Lines of this step run (`fetch#1`), iteration (`fetch#1[3]`), task or attempt only'),
  iteration: integerFrom(0).optional().describe('Lines of this iteration of loops only'),
  stream: z.enum(['stdout', 'stderr', 'error', 'notice']).optional().describe('Lines of this stream only'),
  text: z.string().max(300).optional().describe('Lines that contain this only, in any case'),
  until: z.iso.datetime().optional().describe('Lines printed by then only'),
  from: place.optional().describe('This place, and lines behind it'),
});

const querySchema = filterSchema.extend({
  page_size: integerFrom(1).max(10_000).default(1000),
  after: place.optional().describe('Lines behind this place: the `next_cursor` of the page before'),
  last: integerFrom(1)
    .max(10_000)
    .optional()
    .describe('So many lines from the end, as one page or as NDJSON'),
  last_event_id: place.optional().describe('As the header Last-Event-ID, for clients that cannot send one'),
});

const line = component('LogLine', {
  id: z.string().describe('Its place, for `from` and `after`'),
  at: z.iso.datetime().describe('When the worker read it'),
  step: z.string(),
  task: z.string(),
  task_run_id: z.string(),
  attempt: z.number(),
  iteration: z.number().optional().describe('Absent outside of a loop'),
  stream: z
    .string()
    .describe('stdout, stderr; error: what the task failed with; notice: that lines are missing, and why'),
  line: z.string(),
});
const page = z.object({
  lines: z.array(line),
  pagination: z.object({
    next_cursor: z
      .string()
      .nullable()
      .describe(
        'Null: there is nothing more yet. A request looks at 50,000 lines: there can be more behind a page that is not full',
      ),
  }),
});
const parts = component('LogParts', {
  parts: z.array(z.object({ from: z.string().describe('Place of the first line'), lines: z.number().int() })),
  searched: z.number().int().describe('Lines looked at'),
  next: z.string().nullable().describe('`from` of the next request; null: there is nothing more yet'),
});

type Query = z.infer<typeof querySchema>;

/** Lines that a page looks at: some 200 ms. */
const SEARCHED = 50_000;

export function logs({ client, logs: store, stopping }: FacadeServices): readonly FacadeRoute[] {
  const streams = new Streams();
  return [
    route('GET /api/executions/{id}/logs', {
      ...ofExecution,
      summary: 'What the tasks of an execution print, while they run and afterwards',
      description:
        'By the header Accept: JSON pages, NDJSON, or server-sent events, which continue until the execution has ended. ' +
        'Lines of a task are in order. A stream that is taken up again may repeat lines of the last two seconds; the id of ' +
        'the event tells which.',
      query: querySchema,
      answers: {
        200: {
          description: 'The lines, oldest first',
          body: page,
          content: {
            'application/x-ndjson': 'One line of a log a line',
            'text/event-stream': 'A line a message; `event: end` when the execution is over',
          },
        },
        204: { description: 'A stream of an execution that is over and has printed nothing (more)' },
      },
      async handle({ params, query, principal, request, response }) {
        const id = checkedId(params.id);
        if (!store) throw noStorage('task output is');
        await checkKnown(client, store, id);
        const accepted = request.accepts(['application/json', 'application/x-ndjson', 'text/event-stream']);
        if (accepted === 'text/event-stream')
          return await streams.during(principal.name, () =>
            live({ client, store, id, query, stopping }, request, response),
          );
        if (accepted === 'application/x-ndjson') return await sendLines(response, linesOf(store, id, query));
        return query.last === undefined
          ? await pageOf(store, id, query)
          : pageWith(await lastLines(store, id, query.last, wantsLine(query)));
      },
    }),
    route('GET /api/executions/{id}/logs/parts', {
      ...ofExecution,
      summary: 'Where the lines of a log are, and how many: for programs that show a long one',
      description:
        'Parts of at most 500 lines: `GET /api/executions/{id}/logs?from=…&page_size=…` with the same filter has the lines of one. ' +
        'With a filter, a request looks at 50,000 lines; `next` goes on.',
      query: filterSchema,
      answers: okAnswer('The parts, in order', parts),
      async handle({ params, query }) {
        const id = checkedId(params.id);
        if (!store) throw noStorage('task output is');
        await checkKnown(client, store, id);
        return { next: null, ...(await logParts(store, id, query.from, wantedLines(query))) };
      },
    }),
  ];
}

function wantsLine(query: Query): (line: LogLine) => boolean {
  return wantedLines(query) ?? (() => true);
}

/** A place behind which a request reads. */
function begin({ from, after }: Query): string | undefined {
  return from === undefined ? after : beforePlace(from);
}

async function pageOf(store: LogStore, id: string, query: Query): Promise<z.input<typeof page>> {
  const isWanted = wantsLine(query);
  const shown: Placed[] = [];
  let searched = 0;
  for await (const some of storedLines(store, id, begin(query))) {
    for (const one of some) {
      if (!isWanted(one.line)) continue;
      if (shown.length === query.page_size) return pageWith(shown, shown.at(-1));
      shown.push(one);
    }
    searched += some.length;
    if (searched >= SEARCHED) return pageWith(shown, some.at(-1));
  }
  return pageWith(shown);
}

/** @param last behind it there may be more */
function pageWith(shown: readonly Placed[], last?: Placed): z.input<typeof page> {
  const lines = shown.map(({ id, line: of }) => ({ id, ...of }));
  return { lines, pagination: { next_cursor: last?.id ?? null } };
}

async function* linesOf(store: LogStore, id: string, query: Query): AsyncGenerator<LogLine[]> {
  const isWanted = wantsLine(query);
  if (query.last !== undefined)
    return yield (await lastLines(store, id, query.last, isWanted)).map(({ line: of }) => of);
  for await (const some of storedLines(store, id, begin(query)))
    yield some.map(({ line: of }) => of).filter(isWanted);
}

interface Following {
  readonly client: Client;
  readonly store: LogStore;
  readonly id: string;
  readonly query: Query;
  readonly stopping?: AbortSignal | undefined;
}

async function live(
  { client, store, id, query, stopping }: Following,
  request: Request,
  response: Response,
): Promise<void> {
  const sent = request.get('last-event-id');
  const after = sent !== undefined && isPlace(sent) ? sent : (query.last_event_id ?? begin(query));
  const isWanted = wantsLine(query);
  const closed = new AbortController();
  const leave = (): void => closed.abort();
  response.once('close', leave);
  stopping?.addEventListener('abort', leave, { once: true });
  const stream = new EventStream(response);
  const { signal } = closed;
  const ended = untilEnded(client, id, signal).then(() => sinceLastTask(client, id));
  try {
    for await (const some of followLines(store, id, { after, signal, ended }))
      for (const one of some.filter(({ line: of }) => isWanted(of)))
        await stream.write(`id: ${one.id}\ndata: ${JSON.stringify(one.line)}\n\n`, signal);
    await stream.end(!signal.aborted ? END : stopping?.aborted ? COME_BACK : undefined);
  } catch (error) {
    await stream.end(signal.aborted ? undefined : failureFrame(error));
  } finally {
    stream.close();
    stopping?.removeEventListener('abort', leave);
  }
}

/** Logs outlive Temporal's retention. @throws CodedError `EXECUTION_NOT_FOUND` */
async function checkKnown(client: Client, store: LogStore, id: string): Promise<void> {
  const [first] = await store.names(id, '', 1);
  if (first === undefined && (await temporalStatus(client, id)) === undefined)
    throw executionNotFound(workflowId(id));
}
