/** Events over REST: pages with a cursor, lines, and server-sent events that tail a running execution. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { executionIdOf } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-sse-'));

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade.reported).toEqual([]);
});

interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: { event_id?: string; seq?: number };
}

/** Reads a stream of server-sent events to its end, or until `enough`. */
async function sse(
  id: string,
  headers: Record<string, string> = {},
  enough = (_: Told): boolean => false,
  profile = 'canonical',
): Promise<{ status: number; told: Told[] }> {
  const stop = new AbortController();
  const response = await fetch(`${facade.url}/api/executions/${id}/events?profile=${profile}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  const told: Told[] = [];
  if (!response.body) return { status: response.status, told };
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames.filter((one) => !one.startsWith(':'))) {
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1] ?? '';
      told.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Told['data'] });
      if (enough(told.at(-1)!)) {
        stop.abort();
        return { status: response.status, told };
      }
    }
  }
  return { status: response.status, told };
}

async function startGated(): Promise<{ id: string; open(): void }> {
  const gate = path.join(folder, `gate-${Math.random().toString(36).slice(2)}`);
  const handle = await stack.start(
    stack.compile(
      playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["while [ ! -e ${gate} ]; do sleep 0.05; done"]}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: shell, cmds: ["echo done"]}`),
    ),
  );
  return { id: executionIdOf(handle.workflowId)!, open: () => fs.writeFileSync(gate, '') };
}

test('200 clients tail one running execution from one history read, and all see the same, each event once', async () => {
  const { id, open } = await startGated();
  const reads = jest.spyOn(stack.server.client.workflowService, 'getWorkflowExecutionHistory');
  const listening = new Set<number>();
  const clients = Array.from({ length: 200 }, (_, n) => sse(id, {}, () => !listening.add(n)));
  await until(() => listening.size === clients.length);
  open();
  const answers = await Promise.all(clients);
  const fromTheStart = reads.mock.calls.filter(
    ([request]) => !request.nextPageToken && request.maximumPageSize !== 1,
  );
  reads.mockRestore();
  const first = answers[0]!;
  expect(first.told.at(-1)!.event).toBe('end');
  expect(first.told.slice(0, -1).map(({ data }) => data.seq)).toEqual(
    first.told.slice(0, -1).map((_, i) => i + 1),
  );
  for (const { told, status } of answers) expect([status, told]).toEqual([200, first.told]);
  expect(fromTheStart).toHaveLength(1);
});

test.each([
  ['canonical', 'task.started'],
  ['noetl', 'command.started'],
  ['noetl', 'command.issued'],
])(
  'a client of %s that lost its connection after %s goes on there, and is told to stop when there is no more',
  async (profile, type) => {
    const { id, open } = await startGated();
    const before = await sse(id, {}, ({ event }) => event === type, profile);
    open();
    const last = before.told.at(-1)!.id;
    const { told } = await sse(id, { 'last-event-id': last }, undefined, profile);
    const whole = (await (
      await fetch(`${facade.url}/api/executions/${id}/events?profile=${profile}`)
    ).json()) as {
      events: { event_id: string }[];
    };
    const ids = [...before.told, ...told.filter(({ event }) => event !== 'end')].map((one) => one.id);
    expect(ids).toEqual(whole.events.map((event) => event.event_id));
    expect((await sse(id, { 'last-event-id': ids.at(-1)! }, undefined, profile)).status).toBe(204);
    expect(await sse('999999')).toMatchObject({ status: 404 });
  },
);

test('pages by cursor and lines tell the same, in any profile; the state is that of the event asked for', async () => {
  const { handle } = await stack.run(
    stack.compile(
      playbookOf(
        '\n- step: start\n  tool: {kind: shell, cmds: [echo hi]}\n  set: {ctx.said: "{{ start.stdout | trim }}"}',
      ),
    ),
  );
  const url = `${facade.url}/api/executions/${executionIdOf(handle.workflowId)}`;
  for (const profile of ['canonical', 'formal', 'extended', 'noetl']) {
    const rows: { event_id: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await fetch(
        `${url}/events?profile=${profile}&page_size=7${cursor ? `&after=${cursor}` : ''}`,
      );
      const page = (await answer.json()) as {
        events: { event_id: string }[];
        pagination: { next_cursor: string | null };
      };
      rows.push(...page.events);
      cursor = page.pagination.next_cursor;
    }
    const lines = await (
      await fetch(`${url}/events?profile=${profile}`, { headers: { accept: 'application/x-ndjson' } })
    ).text();
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(rows);
    expect(rows.length).toBeGreaterThan(7);
  }
  const { events } = (await (await fetch(`${url}/events?profile=canonical`)).json()) as {
    events: { seq: number; event_id: string; event_type: string }[];
  };
  const started = events.find((event) => event.event_type === 'task.started')!;
  for (const at of [started.seq, encodeURIComponent(started.event_id)])
    expect(await (await fetch(`${url}/state?at=${at}`)).json()).toMatchObject({
      status: 'running',
      ctx: {},
      results: {},
    });
  expect(await (await fetch(`${url}/state`)).json()).toMatchObject({
    status: 'completed',
    ctx: { said: 'hi' },
  });
  expect((await fetch(`${url}/state?at=5000`)).status).toBe(404);
  expect((await fetch(`${url}/events?profile=nosuch`)).status).toBe(422);
});
