/** Pages that the facade reads from the projection's tables are those that it derives. */
import path from 'node:path';
import { createFacade, type FacadeServices, type Listening, listen, openFor } from '../../src/server/facade';
import { type HistoryEvent, historyFile } from '../../src/history';
import { type Database, openDatabase } from '../../src/server/store';
import { fetchDerived } from '../support/facade';
import { clientWith, loopHistory } from '../support/long-history';
import { projectOnce } from '../support/project-once';
import { someOf } from '../support/sampled';
import { startTestPostgres, type TestPostgres } from '../support/postgres';

let postgres: TestPostgres;
let database: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await openDatabase(postgres.url);
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

const NAMES = ['error_path_failed', 'fan_out_reduce', 'streaming_pagination', 'fetch_transform_store'];

const WHOLE = '/events?page_size=10000';

/** What SQL finds in noetl.event, as the API writes it. */
async function inTable(id: string): Promise<unknown> {
  const rows = await database.rows<Record<string, unknown>>(
    'SELECT * FROM noetl.event WHERE execution_id = $1 ORDER BY event_id',
    [id],
  );
  const events = rows.map(({ created_at, event_id, parent_event_id, ...row }) => {
    const timestamp = (created_at as Date).toISOString();
    const parent = parent_event_id === null ? null : String(parent_event_id as number);
    return {
      ...row,
      event_id: String(event_id as number),
      parent_event_id: parent,
      created_at: timestamp,
      timestamp,
    };
  });
  return expect.objectContaining({ events }) as unknown;
}

/** The tables have a reference to its result. */
const LARGE = 'a run with a large result';

async function historyOf(name: string): Promise<readonly HistoryEvent[]> {
  if (name === LARGE) return loopHistory(300, 1, '{spec: {policy: {limits: {max_payload_bytes: 1024}}}}');
  const events: HistoryEvent[] = [];
  for await (const page of historyFile(path.resolve(__dirname, `../histories/0.1.0/${name}.json`)))
    for (const event of page) events.push(event);
  return events;
}

test.each([...someOf(NAMES, 2), LARGE])('of %s', async (name) => {
  const events = await historyOf(name);
  const { client, asked } = clientWith(events);
  const { workflowId, originalExecutionRunId: runId } = events[0]!.workflowExecutionStartedEventAttributes!;
  const id = workflowId!.replace('noetl-', '');
  const stopping = new AbortController();
  const reported: unknown[] = [];
  const services = {
    client,
    database,
    authenticate: openFor([]),
    version: 'test',
    report: (error: unknown) => void reported.push(error),
    stopping: stopping.signal,
  } as unknown as FacadeServices;
  let facade: Listening = await listen(createFacade(services), 0);
  const ask = async (query: string): Promise<unknown> => {
    const answer = await fetchDerived(`${facade.url}/api/executions/${id}${query}`);
    const { request_id: _, ...document } = (await answer.json()) as Record<string, unknown>;
    return document;
  };
  const first = (await ask('/events?profile=canonical&page_size=7')) as {
    pagination: { next_cursor: string };
  };
  const cursor = first.pagination.next_cursor;
  const all = [
    ...['/events?', '/events?page_size=5&page=3', '/events?page_size=10000'].flatMap((query) => [
      query,
      `${query}&profile=canonical`,
    ]),
    `/events?profile=canonical&page_size=5&after=${cursor}`,
    `/events?profile=canonical&page_size=5&page=2&after=${cursor}`,
    '/events?page_size=5&after=4',
    '/events?page_size=5&page=2&after=4',
    '?page_size=1000',
    '?page_size=5&page=2',
    '?page_size=5&since_event_id=9',
    '?page_size=2&page=2&since_event_id=9',
    '?event_type=step.exit',
    '?event_type=call.done&page_size=1&page=2&since_event_id=5',
    '/status',
    '/status?full=true',
    '/progress',
    '/graph',
    '/state',
    '/state?at=1',
    '/state?at=17',
    `/state?at=${cursor}`,
    '/state?at=100000',
    '/moment',
    '/moment?at=1',
    '/moment?at=17',
    '/moment?at=100000',
    '/events/search?text=STEP.',
    '/events/search?text=start%231&count=4&after=3',
    '/events/search?text=[1]',
    '/events/search?failed=true',
    '/explanation?at=3',
    '/explanation?at=17',
    '/explanation?at=100000',
    '/explanation?step=start&at=25',
    '/explanation?after=0',
    '/explanation?after=9&page_size=2',
  ];
  // How many events a long one has is not known before all are derived.
  const queries = name === LARGE ? ['/progress', '/status', '/graph'] : all;
  const lines = async (query: string, accept: string): Promise<string[]> => {
    const answer = await fetch(`${facade.url}/api/executions/${id}/events${query}`, { headers: { accept } });
    return (await answer.text()).trimEnd().split('\n');
  };
  const streams = async (): Promise<unknown> => {
    const told: unknown[] = [];
    if (name === LARGE) return told;
    for (const profile of ['canonical', 'formal', 'extended', 'noetl']) {
      const all = await lines(`?profile=${profile}`, 'application/x-ndjson');
      told.push(all.map((line) => JSON.parse(line) as unknown));
      const frames = await lines(`?profile=${profile}&last_event_id=${cursor}`, 'text/event-stream');
      told.push(frames.filter((line) => !line.startsWith('data:')));
      told.push(await ask(`/events?profile=${profile}&page_size=6&page=2`));
    }
    return told;
  };
  const variables = async (): Promise<unknown> => (await fetch(`${facade.url}/api/vars/${id}`)).json();
  const derived = [];
  for (const query of queries) derived.push(await ask(query));
  const derivedVariables = await variables();
  const derivedStreams = await streams();
  await projectOnce(postgres, client, {
    namespace: 'default',
    workflowId: workflowId!,
    runId: runId!,
    executionId: id,
  });
  // Another one, which remembers nothing of what it derived.
  const deriving = facade;
  facade = await listen(createFacade(services), 0);
  const before = asked.count;
  for (const [index, query] of queries.entries())
    expect([query, await ask(query)]).toEqual([query, derived[index]]);
  expect(await variables()).toEqual(derivedVariables);
  expect(await streams()).toEqual(derivedStreams);
  if (name !== LARGE) expect(derived[queries.indexOf(WHOLE)]).toEqual(await inTable(id));
  expect(asked.count).toBe(before);
  stopping.abort();
  await Promise.all([deriving.close(), facade.close()]);
  expect(reported).toEqual([]);
});
