/** `GET /events`: the stream of the official gateway, JSON-RPC notifications about executions of the caller. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Response } from 'express';
import { z } from 'zod';
import { type CanonicalEvent, eventStep } from '../../../../history';
import { isMapping } from '../../../../language/plan';
import { checkedId } from '../../executions/ids';
import { type Spool } from '../../reading/spool';
import { type RouteServices } from '../../services';
import { boundedText, FacadeError, type FacadeRoute, route } from '../declare';
import { Feeds } from '../events/feed';
import { COME_BACK, EventStream } from '../events/stream';
import { Streams } from '../events/streams';

const PING_MS = 15_000;
const FOLLOWING = { profile: 'canonical', bodies: false, follow: true } as const;
/** Executions of a stream that are followed at a time: each is a history that is read. */
const MOST_FOLLOWED = 20;
/** As the gateway names the failure of a playbook. */
const PLAYBOOK_FAILED = -32_000;

const querySchema = z.object({
  session_token: boundedText(4096).optional().describe('The token, for clients that can send no header'),
  client_id: boundedText(200).optional().describe('Of the stream before'),
  execution_id: boundedText(40).optional().describe('One that runs, to be followed besides'),
});

export function gatewayEvents(services: RouteServices): readonly FacadeRoute[] {
  const feeds = new Feeds(services.readings, services);
  const streams = new Streams();
  return [
    route('GET /events', {
      scope: 'read',
      summary: 'How the executions of the caller go on, as the official gateway tells it',
      description:
        'Server-sent events of JSON-RPC: a result with `clientId`, then notifications `playbook/state` (the end of a step or ' +
        'of the execution), `playbook/result` (its end, with `requestId` = the execution id), and `ping`. Told are ' +
        'executions that the caller starts at this facade while the stream is open, at most 20 at a time; every execution ' +
        'has its own stream, which resumes: `/api/executions/{id}/events`.',
      query: querySchema,
      answers: { 200: { description: 'Messages', content: { 'text/event-stream': 'JSON-RPC 2.0' } } },
      errors: [406],
      async handle({ query, principal, request, response }) {
        if (!/\btext\/event-stream\b/.test(request.get('accept') ?? ''))
          throw new FacadeError(406, 'EVENT_STREAM', 'this is a stream: send accept: text/event-stream');
        if (query.execution_id !== undefined) checkedId(query.execution_id);
        await streams.during(principal.name, () =>
          tellAll(services, feeds, { response, caller: `by ${principal.name}`, query }),
        );
      },
    }),
  ];
}

interface StreamClient {
  readonly response: Response;
  /** Of `starts`. */
  readonly caller: string;
  readonly query: z.output<typeof querySchema>;
}

async function tellAll(
  { starts, stopping, version }: RouteServices,
  feeds: Feeds,
  client: StreamClient,
): Promise<void> {
  const { response, caller, query } = client;
  const closed = new AbortController();
  const { signal } = closed;
  response.once('close', () => closed.abort());
  stopping?.addEventListener('abort', () => closed.abort(), { once: true, signal });
  const stream = new EventStream(response);
  const send = (body: object, method = 'message'): Promise<void> =>
    stream.write(`event: ${method}\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...body })}\n\n`, signal);
  const notify: Notify = (method, params) => send({ method, params }, method);
  const followed = new Set<string>();
  const follow = (id: string): void => {
    if (followed.size >= MOST_FOLLOWED || followed.has(id)) return;
    followed.add(id);
    void feeds
      .during(id, FOLLOWING, '', ({ spool }) => tell(id, spool, notify, signal))
      // Its own stream says why.
      .catch(() => undefined)
      .finally(() => followed.delete(id));
  };
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) void notify('ping', {}).catch(() => undefined);
  }, PING_MS);
  starts.on(caller, follow);
  try {
    await send({
      id: 1,
      result: {
        ...GREETING,
        serverInfo: { name: 'noetl-temporal', version },
        clientId: query.client_id ?? randomUUID(),
      },
    });
    if (query.execution_id !== undefined) follow(query.execution_id);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    starts.off(caller, follow);
    clearInterval(ping);
    await stream.end(response.closed ? undefined : COME_BACK);
    stream.close();
  }
}

type Notify = (method: string, params: object) => Promise<void>;

const GREETING = {
  protocolVersion: '2024-11-05',
  capabilities: { playbooks: true, callbacks: true, subscriptions: false, playbookState: true },
};

const END = 'workflow.finished';
const NEWS = ['step.done', 'step.failed', END];

async function tell(
  id: string,
  spool: Pick<Spool, 'block'>,
  notify: Notify,
  signal: AbortSignal,
): Promise<void> {
  for (let index = 0; ; index++) {
    const lines = await spool.block(index, signal);
    if (!lines) return;
    for (const { event_type, row } of lines) {
      if (!NEWS.includes(event_type)) continue;
      const isEnd = event_type === END;
      const event = JSON.parse(row) as CanonicalEvent;
      await notify('playbook/state', stateOf(event, isEnd));
      if (isEnd) await notify('playbook/result', { requestId: id, executionId: id, ...resultOf(event) });
    }
  }
}

const WORDS: Readonly<Record<string, string>> = { success: 'completed', error: 'failed' };
const wordOf = ({ status }: CanonicalEvent): string => WORDS[status] ?? status;

function stateOf(event: CanonicalEvent, isEnd: boolean): object {
  const { execution_id, step_run_id, timestamp } = event;
  const status = wordOf(event);
  return {
    execution_id,
    event_type: isEnd ? `playbook.${status}` : 'step.exit',
    step_name: step_run_id === undefined ? null : eventStep(event),
    status,
    at: timestamp,
  };
}

function resultOf(event: CanonicalEvent): object {
  const { result = null, error } = event.payload;
  const word = wordOf(event);
  if (word === 'completed') return { status: 'COMPLETED', data: result };
  const message = isMapping(error) ? error['message'] : (error ?? `the execution is ${word}`);
  return { status: word.toUpperCase(), error: { code: PLAYBOOK_FAILED, message } };
}
