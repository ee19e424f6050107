/** The page of a long run holds a window of it, read from the tables: what it shows is what the whole run says. */
import { createFacade, type FacadeServices, type Listening, listen, openFor } from '../../src/server/facade';
import { type CanonicalEvent, Derivation } from '../../src/history';
import { KeyframeWriter } from '../../src/history/keyframes';
import { type Moment } from '../../src/history/moment';
import { graphOf } from '../../src/language/dsl/graph';
import { type Database, openDatabase } from '../../src/server/store';
import { WindowReader } from '../../console/tape/window';
import { clientWith, EXECUTION, loopHistory } from '../support/long-history';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { projectOnce } from '../support/project-once';

let postgres: TestPostgres;
let database: Database;
let facade: Listening;
let events: CanonicalEvent[];
let plan: Derivation['plan'];
const keyframes = new KeyframeWriter();
let asked: { count: number };
/** Rows of the largest answer of the tables. */
let most = 0;
const fetched: string[] = [];
const { fetch: real } = globalThis;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await openDatabase(postgres.url);
  const history = loopHistory(4000);
  const derivation = new Derivation({ recorder: keyframes });
  events = await derivation.take(history);
  ({ plan } = derivation);
  const fake = clientWith(history);
  ({ asked } = fake);
  const run = { namespace: 'default', workflowId: `noetl-${EXECUTION}`, executionId: EXECUTION };
  await projectOnce(postgres, fake.client, { ...run, runId: '0f9d6b6e-5d6c-4d8c-9a5e-6a1c5b0d2f11' });
  const services = {
    client: fake.client,
    database: {
      ...database,
      rows: async (text: string, values: readonly unknown[]) => {
        const rows = await database.rows(text, values);
        most = Math.max(most, rows.length);
        return rows;
      },
    },
    authenticate: openFor([]),
    version: 'test',
    report: fail,
  };
  facade = await listen(createFacade(services as unknown as FacadeServices), 0);
  globalThis.fetch = (path, init) => {
    fetched.push(String(path));
    return real(`${facade.url}${String(path)}`, init);
  };
});
afterAll(async () => {
  globalThis.fetch = real;
  await facade?.close();
  await database?.close();
  await postgres?.stop();
});

function fail(error: unknown): void {
  throw error as Error;
}

test('every moment is that of the whole run, and no history is read', async () => {
  const reader = new WindowReader(EXECUTION, graphOf(plan), new AbortController().signal);
  const before = asked.count;
  for (const at of [1, 2, 499, 500, 501, 5000, 5001, 5002, 9999, 12_345, events.length - 1, events.length]) {
    const tape = await reader.around(at);
    const answer = await real(`${facade.url}/api/executions/${EXECUTION}/moment?at=${String(at)}`);
    const moment = (await answer.json()) as Moment;
    const whole = await keyframes.momentAt(at);
    expect({ at, moment }).toEqual({
      at,
      moment: { result: null, ...whole, error: null, execution_id: EXECUTION, seq: at },
    });
    expect([moment.variables, moment.workload]).toEqual([{}, {}]);
    expect(tape.eventAt(at)).toMatchObject({ seq: at, event_id: events[at - 1]!.event_id });
    expect(tape.total).toBe(events.length);
    expect(tape.events.length).toBeLessThanOrEqual(1500);
  }
  expect(reader.isOver).toBe(true);
  expect(asked.count).toBe(before);
  // Three pages and a moment for each window, and once how long the run is.
  expect(fetched.length).toBeLessThan(12 * 4 + 1);
});

test('ten thousand events are read a portion at a time, and are all of them', async () => {
  most = 0;
  const answer = await real(
    `${facade.url}/api/executions/${EXECUTION}/events?profile=canonical&page_size=10000&page=2`,
  );
  const { events: page, pagination } = (await answer.json()) as {
    events: CanonicalEvent[];
    pagination: object;
  };
  const mine = events.slice(10_000, 20_000);
  expect(page.map(({ event_id }) => event_id)).toEqual(mine.map(({ event_id }) => event_id));
  expect(pagination).toMatchObject({ has_next: true, next_cursor: mine.at(-1)!.event_id });
  expect(most).toBeLessThanOrEqual(1000);
});

test('its rows begin with the run of the step that is under way', async () => {
  const reader = new WindowReader(EXECUTION, graphOf(plan), new AbortController().signal);
  const { spans } = await reader.around(10_000);
  expect(spans.roots.map(({ id, from }) => [id, from])).toEqual([
    ['start#1', Date.parse(events.find((event) => event.event_type === 'step.started')!.timestamp)],
  ]);
  expect(spans.roots[0]!.children.length).toBeGreaterThan(200);
});

test('a search looks at fifty thousand events at a time, and finds what the events say', async () => {
  const search = async (
    query: string,
  ): Promise<{ events: CanonicalEvent[]; searched: number; next_after: number }> => {
    const answer = await real(`${facade.url}/api/executions/${EXECUTION}/events/search?${query}`);
    return (await answer.json()) as never;
  };
  const found = await search('text=START%231[3999]');
  const mine = events.filter((event) => event.iteration === 3999);
  expect(found.events).toEqual(
    mine.map((event) => expect.objectContaining({ event_id: event.event_id }) as never),
  );
  expect(found).toMatchObject({ searched: events.length, next_after: null });
  const some = await search('text=loop.iteration.done&count=10&after=700');
  expect(some.events).toHaveLength(10);
  expect(some.next_after).toBe(some.events.at(-1)!.seq);
  expect((await search('failed=true')).events).toEqual([]);
});
