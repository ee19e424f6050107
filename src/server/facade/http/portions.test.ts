import http from 'node:http';
import { type AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Response } from 'express';
import { JsonRows, sendJson, sendJsonText } from './portions';

const servers: http.Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** What is answered, and the lengths of what was written at once. */
async function answered(
  send: (response: Response) => Promise<void>,
): Promise<{ status: number; body: unknown; type: string | null; writes: number[] }> {
  const writes: number[] = [];
  const app = express();
  app.get('/', async (_request, response) => {
    const write = response.write.bind(response) as (text: string) => boolean;
    response.write = ((text: string) => {
      writes.push(text.length);
      return write(text);
    }) as typeof response.write;
    await send(response);
  });
  const failed: ErrorRequestHandler = (error: Error, _request, response, _next) =>
    void response.status(418).json({ failed: error.message });
  app.use(failed);
  const server = http.createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const body: unknown = await answer.json();
  return { status: answer.status, type: answer.headers.get('content-type'), body, writes };
}

/** Rows, and how many of them became JSON at most before the event loop had its turn. */
function counted(count: number): { rows: object[]; most: () => number } {
  let most = 0;
  let since = 0;
  const rows = Array.from({ length: count }, (_, n) => ({
    toJSON() {
      most = Math.max(most, ++since);
      if (since === 1) setImmediate(() => (since = 0));
      return { n };
    },
  }));
  return { rows, most: () => most };
}

const numbers = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n }));

test.each([1, 999, 1000, 1001, 10_000])('a list of %i rows, and others beside it', async (count) => {
  const { rows, most } = counted(count);
  const body = { a: [1, undefined], rows, none: undefined, after: { deep: 'é"\n' }, at: new Date(0) };
  const answer = await answered((response) => sendJson(response, body));
  expect(answer).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' });
  expect(answer.body).toEqual({
    ...{ a: [1, null], rows: numbers(count), after: { deep: 'é"\n' }, at: '1970-01-01T00:00:00.000Z' },
  });
  expect(most()).toBeLessThanOrEqual(1000);
});

test('portions of many answers come one after the other', async () => {
  const { rows, most } = counted(4000);
  const parts = [0, 1, 2, 3].map((n) => rows.slice(n * 1000, (n + 1) * 1000));
  await Promise.all(parts.map((part) => answered((response) => sendJson(response, [...part, ...part]))));
  expect(most()).toBeLessThanOrEqual(2000);
});

test('an answer that is a list', async () => {
  const { rows, most } = counted(4000);
  const { body } = await answered((response) => sendJson(response, rows));
  expect(body).toEqual(numbers(4000));
  expect(most()).toBeLessThanOrEqual(1000);
});

test('large rows end a portion early', async () => {
  const rows = Array.from({ length: 2000 }, (_, n) => ({ n, text: 'x'.repeat(3000) }));
  const { body, writes } = await answered((response) => sendJson(response, { rows }));
  expect(body).toEqual({ rows });
  expect(writes.length).toBeGreaterThan(20);
  expect(Math.max(...writes)).toBeLessThan(300_000);
});

test('rows that are read while they are written; an error before the first is answered', async () => {
  async function* portions(fails: boolean): AsyncGenerator<string[]> {
    yield await Promise.resolve([]);
    if (fails) throw new Error('no table');
    yield ['{"n":0}', '{"n":1}'];
    yield ['{"n":2}'];
  }
  const send = (fails: boolean) =>
    answered((response) => sendJson(response, { rows: new JsonRows(portions(fails)), total: 3 }));
  expect((await send(false)).body).toEqual({ rows: numbers(3), total: 3 });
  expect(await send(true)).toMatchObject({ status: 418, body: { failed: 'no table' }, writes: [] });
  const empty = await answered((response) => sendJson(response, { rows: new JsonRows([]) }));
  expect(empty.body).toEqual({ rows: [] });
});

test.each(['', 'a'])('a text of JSON whose characters take two places, after %p', async (before) => {
  const text = `${before}${'😀'.repeat(400_000)}`;
  const { body, writes } = await answered((response) => sendJsonText(response, JSON.stringify({ text })));
  expect(body).toEqual({ text });
  expect(Math.max(...writes)).toBeLessThan(300_000);
});
