/**
 * A run of thousands of events that goes on: what is asked about it comes from the tables, to its last event, and is what its whole
 * history says. What is read is counted.
 */
import { type Client } from '@temporalio/client';
import { openPool } from '../../src/storage/postgres';
import { Cursors, deliveryThreads, postgresSink, visitExecution } from '../../src/server/projection';
import { type Database, openDatabase } from '../../src/server/store';
import { executionIdOf } from '../../src/temporal/client';
import { type TestFacade, startFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const EVERY = 400;
const TURNS = 240;
const source = playbookOf(`
- step: start
  loop: {in: "{{ range(${TURNS}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 10}}
  tool:
    - {name: work, kind: noop, input: {n: "{{ iter.n }}"}}
    - {name: rest, kind: wait, for: 5ms}
  set: {ctx.seen: "{{ iter.n }}"}
  next: {arcs: [{step: holds, when: "{{ event.name == 'loop.done' }}"}]}
- step: holds
  tool: {kind: wait, event: go}`);

let stack: Stack;
let database: Database;
let stored: TestFacade;
let deriving: TestFacade;
let id: string;
/** Pages of histories that the facade asked for. */
let pages = 0;
/** Rows that it got from the tables. */
let rows = 0;
const leave = new AbortController();
let visiting: Promise<unknown>;
let total = 0;

beforeAll(async () => {
  stack = await startStack({
    kinds: [],
    postgres: true,
    config: ['limit.historyCount.suggestContinueAsNew=300'],
  });
  const url = await stack.postgres.createDatabase('running');
  database = await openDatabase(url);
  const client = counting(stack.client);
  const read: Database = {
    ...database,
    rows: async <Row>(text: string, values: readonly unknown[]) => {
      const found = await database.rows<Row>(text, values);
      rows += found.length;
      return found;
    },
  };
  const postgres = { ...stack.postgres, url };
  stored = await startFacade({ client }, { postgres, over: { database: read } });
  const nothing: Database = { ...database, rows: () => Promise.resolve([]) };
  deriving = await startFacade(stack, { postgres, over: { database: nothing } });
  const handle = await stack.start(stack.compile(source));
  id = executionIdOf(handle.workflowId)!;
  visiting = follow(url, handle.workflowId, (await handle.describe()).runId);
  await until(async () => (await ask(deriving, '/status'))['current_step'] === 'holds', 90_000);
  await untilProjected();
}, 180_000);
afterAll(async () => {
  leave.abort();
  await visiting;
  await deriving?.stop();
  await stored?.stop();
  await database?.close();
  await stack?.stop();
});

/** The client, counting. */
function counting(client: Client): Client {
  const service = new Proxy(client.workflowService, {
    get(target, name) {
      const member = target[name as keyof typeof target] as unknown;
      if (typeof member !== 'function') return member;
      return (request: { maximumPageSize?: number }, ...more: unknown[]): unknown => {
        if (name === 'getWorkflowExecutionHistory' && request.maximumPageSize !== 1) pages++;
        return (member as (...given: unknown[]) => unknown).call(target, request, ...more);
      };
    },
  });
  return new Proxy(client, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      return name === 'workflowService'
        ? service
        : typeof member === 'function'
          ? member.bind(target)
          : member;
    },
  });
}

/** The projection of the one run. */
async function follow(url: string, workflowId: string, runId: string): Promise<unknown> {
  const { client } = stack;
  const pool = openPool({ connectionString: url });
  const threads = deliveryThreads(client);
  const nothing = (): void => undefined;
  try {
    return await visitExecution(
      { namespace: client.options.namespace, workflowId, runId, executionId: id },
      undefined,
      {
        ...{ client, threads, follow: true, signal: leave.signal, received: nothing, taken: nothing },
        ...{ sink: postgresSink(pool), cursors: new Cursors(pool, 'postgres'), keyframeEvery: EVERY },
      },
    );
  } finally {
    threads.close();
    await pool.end();
  }
}

async function ask({ url }: TestFacade, path: string, init?: RequestInit): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await fetch(`${url}/api/${/^[/?]/.test(path) ? `executions/${id}${path}` : path}`, init);
    const { request_id: _, ...document } = (await answer.json()) as Record<string, unknown>;
    // The first page does not wait for the whole: how many events there are is known by and by.
    const isCounting = (document['pagination'] as { total_events?: null } | undefined)?.total_events === null;
    if (!isCounting) return document;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function position(): Promise<{ total: number; keyframes: number; parts: number }> {
  const [row] = await database.rows<{ total: number; keyframes: number; parts: number }>(
    `SELECT c.seq AS total, (SELECT count(*)::int FROM noetl.keyframe k WHERE k.execution_id = c.execution_id) AS keyframes,
       (SELECT count(*)::int FROM noetl.keyframe_part p WHERE p.execution_id = c.execution_id) AS parts
     FROM noetl.sink_cursor c WHERE c.execution_id = $1`,
    [id],
  );
  return row!;
}

/** Events before it holds. */
const LEAST = 1_500;

/** Until the projection has what has happened: a facade that asks before waits for it, and not for long. */
async function untilProjected(): Promise<void> {
  await until(async () => {
    const { pagination } = await ask(deriving, '?page_size=1');
    const { total_events } = pagination as { total_events: number };
    return ({ total } = await position()).total >= Math.max(total_events, LEAST + 1);
  });
}

/** Durations up to now. */
const NOW = ['duration_seconds', 'duration_human', 'duration_ms', 'unserved'];
const timeless = (document: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !NOW.includes(name)));

test('it has come thousands of events far, across runs of Temporal', async () => {
  expect(total).toBeGreaterThan(LEAST);
  const { keyframes, parts } = await position();
  expect(keyframes).toBeGreaterThan(2);
  expect(parts).toBeGreaterThan(0);
  expect(await ask(stored, '/progress')).toMatchObject({ status: 'running', live: [{ step: 'holds' }] });
  expect((await ask(stored, '/progress'))['continuations']).toBeGreaterThan(0);
});

const QUERIES = [
  '/status',
  '/progress',
  '/graph',
  '/state',
  '/moment',
  '?page_size=20',
  '?page_size=5&page=2&event_type=step.started',
  '/events?page_size=10000',
  '/events?page_size=100&page=15',
  '/events/search?text=loop.done',
  '/explanation?after=0&page_size=1000',
  '/explanation?at=1000000',
  'vars/ID',
];

test.each(QUERIES)('%s is what its history says, and no history is read for it', async (query) => {
  const path = query.replace('ID', id);
  const derived = await ask(deriving, path);
  await ask(stored, path);
  [pages, rows] = [0, 0];
  const document = await ask(stored, path);
  expect(timeless(document)).toEqual(timeless(derived));
  expect(pages).toBe(0);
  // Of the whole run only a page that asks for all of it.
  if (!query.includes('10000') && !query.includes('after=0')) expect(rows).toBeLessThan(EVERY);
});

test('what has just happened is there', async () => {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  // Of five times at least one without a history: on a busy machine the projection may come later than is waited for it.
  let without = 0;
  for (let n = 0; n < 5; n++) {
    pages = 0;
    await ask(stored, `vars/${id}`, { ...json, body: JSON.stringify({ variables: { told: n } }) });
    expect(await ask(stored, `vars/${id}/told`)).toMatchObject({ value: n });
    expect(await ask(stored, '/status')).toMatchObject({ status: 'RUNNING', variables: { told: n } });
    if (pages === 0) without++;
  }
  expect(without).toBeGreaterThan(0);
  for (const [verb, status] of [
    ['pause', 'PAUSED'],
    ['resume', 'RUNNING'],
  ] as const) {
    await ask(stored, `/${verb}`, { ...json, body: '{}' });
    await until(async () => (await ask(stored, '/status'))['status'] === status);
    expect(await ask(stored, '?page_size=1')).toMatchObject({ status });
  }
});

test('ten readers of a run that goes on read no history', async () => {
  await untilProjected();
  pages = 0;
  const one = async (): Promise<void> => {
    for (const path of [
      '/status',
      '/progress',
      '/state',
      '/graph',
      '?page_size=50',
      '/events?page_size=1000',
    ])
      expect(await ask(stored, path)).not.toHaveProperty('code');
  };
  await Promise.all(Array.from({ length: 10 }, one));
  expect(pages).toBe(0);
});

test('without the projection it is derived, and is right', async () => {
  leave.abort();
  await visiting;
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await ask(stored, `vars/${id}`, { ...json, body: JSON.stringify({ variables: { told: 'alone' } }) });
  pages = 0;
  expect(await ask(stored, '/status')).toMatchObject({ variables: { told: 'alone' } });
  expect(pages).toBeGreaterThan(0);
});
