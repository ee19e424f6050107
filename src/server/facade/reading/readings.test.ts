/** A run of 30,000 iterations (for each commit half of them), of which Temporal has five events, read through the routes; the threads are the built ones. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { clientWith, EXECUTION, loopHistory } from '../../../../test/support/long-history';
import { isNightly } from '../../../../test/support/sampled';
import { createFacade, type FacadeServices, type Listening, listen, openFor } from '..';

const ITERATIONS = isNightly ? 30_000 : 15_000;
const EVENTS = 5 * ITERATIONS + 15;
/** Of the profile `noetl`. */
const ROWS = 4 * ITERATIONS + 8;
const { client, asked } = clientWith(loopHistory(ITERATIONS));
const stopping = new AbortController();
const reported: unknown[] = [];
let facade: Listening;

/** Every query of it finds nothing. */
const emptyTables: unknown = new Proxy(() => emptyTables, {
  get: (_target, name) =>
    name === 'then' ? undefined : String(name).startsWith('execute') ? () => Promise.resolve() : emptyTables,
});

beforeAll(async () => {
  const services = {
    client,
    database: { query: emptyTables, rows: () => Promise.resolve([]) },
    authenticate: openFor([]),
    version: 'test',
    report: (error: unknown) => void reported.push(error),
    stopping: stopping.signal,
  } as unknown as FacadeServices;
  facade = await listen(createFacade(services), 0);
});
afterAll(async () => {
  stopping.abort();
  await facade.close();
  expect(reported).toEqual([]);
});

const ask = (path: string, accept = 'application/json', signal?: AbortSignal): Promise<Response> =>
  fetch(`${facade.url}/api/executions/${EXECUTION}${path}`, { headers: { accept }, signal });

interface Answer {
  readonly [key: string]: unknown;
  readonly events: readonly { readonly seq: number; readonly event_id: string }[];
  readonly pagination: {
    readonly next_cursor: string;
    readonly total_events: number | null;
    readonly has_next: boolean;
  };
  readonly decisions: readonly object[];
}

/** Asks until it is derived. @returns what was told meanwhile, and the answer */
async function derived(path: string): Promise<{ told: Answer[]; body: Answer }> {
  for (const told: Answer[] = []; ;) {
    const response = await ask(path);
    const body = (await response.json()) as Answer;
    if (response.status !== 202) {
      expect(response.status).toBe(200);
      return { told, body };
    }
    told.push(body);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

test('its events come in pages, while everybody else is answered', async () => {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const begin = performance.now();
  const { told, body } = await derived('/events?profile=canonical&page_size=1000');
  delays.disable();
  const took = performance.now() - begin;
  expect(body.events).toHaveLength(1000);
  expect([EVENTS, null]).toContain(body.pagination.total_events);
  expect(body.pagination.has_next).toBe(true);
  expect(body.events.at(-1)).toMatchObject({ seq: 1000, event_id: body.pagination.next_cursor });
  for (const one of told)
    expect(one).toMatchObject({
      code: 'DERIVING',
      execution_id: EXECUTION,
      status: 'COMPLETED',
      completed: true,
    });
  // Derived on the event loop, it would stand still for nearly all of that time.
  expect(delays.max / 1e6).toBeLessThan(took / 2);
  const next = await derived(`/events?profile=canonical&page_size=10&after=${body.pagination.next_cursor}`);
  expect(next.body.events.map(({ seq }: { seq: number }) => seq)).toEqual(
    Array.from({ length: 10 }, (_, n) => 1001 + n),
  );
});

test('so do lines and a live stream, from where a client was before too', async () => {
  const lines = (await (await ask('/events?profile=canonical', 'application/x-ndjson')).text())
    .trimEnd()
    .split('\n');
  expect(lines.length).toBe(EVENTS);
  const { event_id } = JSON.parse(lines[EVENTS - 4]!);
  const stream = await (
    await ask(`/events?profile=canonical&last_event_id=${event_id}`, 'text/event-stream')
  ).text();
  expect(stream.match(/^event: .*$/gm)).toEqual([
    ...lines.slice(-3).map((line) => `event: ${JSON.parse(line).event_type}`),
    'event: end',
  ]);
});

test('documents about all of it, and the state at an event', async () => {
  const { body: detail } = await derived('?page_size=2');
  expect(detail).toMatchObject({ status: 'COMPLETED', pagination: { total_events: ROWS } });
  expect(detail.events.map((one: { event_id: string }) => one.event_id)).toEqual([
    String(ROWS),
    String(ROWS - 1),
  ]);
  const { body: explanation } = await derived('/explanation');
  expect(explanation.decisions.at(-1)).toMatchObject({ kind: 'end' });
  const { body: state } = await derived(`/state?at=${2 * ITERATIONS}`);
  expect(state).toMatchObject({ status: 'running' });
  const missing = await ask(`/state?at=${EVENTS + 1}`);
  expect([202, 404]).toContain(missing.status);
});

test('a derivation that nobody waits for is given up, and does not keep others waiting', async () => {
  const before = asked.count;
  const left = new AbortController();
  const all = Array.from({ length: 8 }, (_, n) => ask(`/state?at=${EVENTS - n}`, undefined, left.signal));
  await new Promise((resolve) => setTimeout(resolve, 300));
  left.abort();
  await Promise.allSettled(all);
  const began = performance.now();
  const { body } = await derived('/state?at=3');
  expect(body).toMatchObject({ status: 'running' });
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(asked.count - before).toBeLessThan(9);
});
