/** Bodies: what is read of whom, when, and where it is parsed. */
import http from 'node:http';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { z } from 'zod';
import { until } from '../../../../test/support/until';
import { Bodies, parseAs } from './body';
import { answerErrors, FacadeError, noRoute } from './errors';
import { checkBodyShape, parseBody } from './json-body';
import { listen, type Listening } from './listen';
import { type Route, plainRoute as route } from './route';
import { routerOf } from './router';

const check = (text: string) => (): void => checkBodyShape(Buffer.from(text));
const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2);

test.each([
  ['as deep as may be', nested(200)],
  ['brackets in a text', JSON.stringify({ text: '['.repeat(5000), 'a\\"': '{'.repeat(5000) })],
  ['many values', `[${Array(200_000).fill('1').join()}]`],
  ['commas in a text', JSON.stringify(','.repeat(300_000))],
  ['a text without an end, for the parser to refuse', '["a'],
])('%s passes', (_, text) => expect(check(text)).not.toThrow());

test.each([
  ['nested deeper', nested(202), 'BODY_TOO_DEEP'],
  ['opened and never closed', '['.repeat(5000), 'BODY_TOO_DEEP'],
  ['deep behind a text that ends in a backslash', `["\\\\",${'['.repeat(300)}`, 'BODY_TOO_DEEP'],
  ['more values', `[${Array(250_001).fill('1').join()}]`, 'BODY_TOO_MANY_VALUES'],
  ['more empty lists', `[${Array(130_000).fill('[]').join()}]`, 'BODY_TOO_MANY_VALUES'],
])('%s is refused', (_, text, code) => expect(check(text)).toThrow(expect.objectContaining({ code })));

const named = (names: number): string =>
  `{"workload":{${Array.from({ length: names }, (_, i) => `"name ${i}":1`).join()}}}`;

test('different names are limited, not names that many rows repeat', () => {
  expect(() => parseBody(Buffer.from(named(26_000)))).toThrow(
    expect.objectContaining({ status: 413, code: 'BODY_TOO_MANY_NAMES' }),
  );
  const rows = Array.from({ length: 24_000 }, (_, i) => ({ a: i, b: 'text', c: null, d: [true] }));
  expect(parseBody(Buffer.from(JSON.stringify({ rows })))).toEqual({ rows });
});

test.each([['1'], ['"text"'], ['null'], ['{"a":}'], ['{} {}']])('%s is not a body', (text) => {
  expect(() => parseBody(Buffer.from(text))).toThrow(
    expect.objectContaining({ status: 400, code: 'ENTITY_PARSE_FAILED' }),
  );
});

test('integers beyond 2^53 keep their digits, and what no double holds is refused', () => {
  expect(parseBody(Buffer.from('{"a": [7615917337495251231, -9007199254740993, 1e20]}'))).toEqual({
    a: ['7615917337495251231', '-9007199254740993', 1e20],
  });
  expect(() => parseBody(Buffer.from('{"a": "9007199254740993", "b": -1e400}'))).toThrow(
    expect.objectContaining({ status: 422, code: 'NUMBER_TOO_LARGE' }),
  );
});

describe('over HTTP', () => {
  /** What the handler received, and what was parsed elsewhere. */
  const handled: unknown[] = [];
  const elsewhere: number[] = [];
  let parsing = 0;
  let mostAtOnce = 0;
  let server: Listening;
  const answers = { 200: { description: 'fine', body: z.unknown() } };
  const body = z.looseObject({});
  const base = {
    summary: 's',
    answers,
    body,
    handle: ({ body }: { body: unknown }) => void handled.push(body),
  };
  const routes: Route[] = [
    route('POST /things', {
      ...base,
      scope: 'run',
      handle: ({ body: given }) => ({ n: handled.push(given) }),
    }),
    route('POST /resources', {
      ...base,
      scope: 'run',
      resource: true,
      handle: ({ body: given }) => ({ n: handled.push(given) }),
    }),
    route('POST /login', {
      ...base,
      scope: 'public',
      handle: ({ body: given }) => ({ n: handled.push(given) }),
    }),
  ];
  beforeAll(async () => {
    const bodies = new Bodies(async (what) => {
      elsewhere.push(what.bytes.length);
      mostAtOnce = Math.max(mostAtOnce, ++parsing);
      await sleep(20);
      parsing -= 1;
      return parseAs(what);
    });
    const app = express();
    const authenticate = async (request: express.Request, scope: string) => {
      await sleep(5);
      if (scope !== 'public' && request.get('authorization') === undefined)
        throw new FacadeError(401, 'TOKEN_MISSING', 'a token is required');
      return { name: request.get('authorization') ?? '', scopes: [] };
    };
    app.use(routerOf(routes, authenticate, bodies), noRoute);
    app.use(
      answerErrors(
        (error) => {
          throw error;
        },
        () => undefined,
      ),
    );
    server = await listen(app, 0);
  });
  beforeEach(() => {
    handled.length = elsewhere.length = mostAtOnce = 0;
  });
  afterAll(() => server.close());

  const post = async (path: string, text: string | Buffer, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(`${server.url}${path}`, { ...init, body: text as string });
    return { status: answer.status, body: (await answer.json()) as { code?: string } };
  };
  const token = { authorization: 'x' };
  const large = JSON.stringify({ text: 'x'.repeat(7_000_000) });

  /** Writes to a connection, and returns what came back until it was closed. */
  async function raw(head: string, sendOn?: (socket: net.Socket) => void): Promise<string> {
    const { port, hostname } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.write(head.replaceAll('\n', '\r\n'));
    sendOn?.(socket);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  }

  test.each([
    'application/yaml',
    'text/yaml; charset=utf-8',
    'application/x-yaml',
    'application/vnd.shop+yaml',
  ])('a body of type %s is the data that it would be in JSON, and parsed elsewhere', async (type) => {
    const yaml = { ...token, 'content-type': type };
    expect(await post('/things', 'path: a/b\nworkload: {items: [1, two]}\n', yaml)).toMatchObject({
      status: 200,
    });
    expect(await post('/things', 'a: [', yaml)).toMatchObject({
      status: 400,
      body: { code: 'ENTITY_PARSE_FAILED' },
    });
    expect(await post('/things', '- 1', yaml)).toMatchObject({ status: 400 });
    const playbook = 'apiVersion: noetl.io/v2\nkind: Playbook\n';
    await post('/resources', playbook, yaml);
    await post('/resources', 'path: a/b\ncontent: text\n', yaml);
    expect(handled).toEqual([
      { path: 'a/b', workload: { items: [1, 'two'] } },
      { content: playbook },
      { path: 'a/b', content: 'text' },
    ]);
    expect(elsewhere).toHaveLength(4);
  });

  const announced = 'host: x\ncontent-type: application/json\ncontent-length: 7000000\n\n';

  // At once: each connection is kept for a while, for what is still to come.
  test('who may not is answered before a byte of its body came, and the connection is closed', async () => {
    const wanted = { 'POST /things': 401, 'POST /nowhere': 404, 'PUT /things': 404, 'BREW /things': 400 };
    const told = async (line: string): Promise<readonly [string, number, boolean]> => {
      const answer = await raw(`${line} HTTP/1.1\n${announced}`);
      return [line, Number(answer.split(' ')[1]), /connection: close/i.test(answer)];
    };
    expect(await Promise.all(Object.keys(wanted).map(told))).toEqual(
      Object.entries(wanted).map(([line, status]) => [line, status, true]),
    );
  });

  test('a client that reads its answer last gets it', async () => {
    expect(await post('/things', large)).toMatchObject({ status: 401, body: { code: 'TOKEN_MISSING' } });
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(`${server.url}/nowhere`, { method: 'POST' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.once('error', reject);
      request.write(large.slice(0, 3_000_000));
      request.end();
    });
    expect(chunked).toBe(404);
    expect(elsewhere).toEqual([]);
  });

  test.each(['POST /things', 'OPTIONS /things'])('%s whose body never ends is cut', async (line) => {
    let sent = 0;
    await raw(`${line} HTTP/1.1\n${announced.replace('7000000', '9000000000')}`, (socket) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const on = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', on);
      on();
    });
    expect(sent).toBeLessThan(9_000_000_000);
  });

  test('a small body is parsed here, a large or compressed one elsewhere', async () => {
    expect(await post('/things', '{"a":1}', token)).toEqual({ status: 200, body: { n: 1 } });
    expect(elsewhere).toEqual([]);
    expect((await post('/things', large, token)).status).toBe(200);
    const bomb = gzipSync(JSON.stringify({ text: 'x'.repeat(1_000_000) }));
    expect((await post('/things', bomb, { ...token, 'content-encoding': 'gzip' })).status).toBe(200);
    expect(elsewhere).toEqual([large.length, 1_000_011]);
    const tooLarge = gzipSync('x'.repeat(9_000_000));
    expect(await post('/things', tooLarge, { ...token, 'content-encoding': 'gzip' })).toMatchObject({
      status: 413,
      body: { code: 'ENTITY_TOO_LARGE' },
    });
  });

  test('who has no token sends a token at most', async () => {
    expect((await post('/login', JSON.stringify({ token: 'x'.repeat(4096) }))).status).toBe(200);
    expect(await post('/login', JSON.stringify({ token: 'x'.repeat(20_000) }))).toMatchObject({
      status: 413,
      body: { code: 'ENTITY_TOO_LARGE' },
    });
  });

  test('large bodies of one caller take turns; those of another do not wait for them', async () => {
    const greedy = Array.from({ length: 12 }, () => post('/things', large, token));
    await until(() => Promise.resolve(elsewhere.length > 0));
    expect((await post('/things', large, { authorization: 'another' })).status).toBe(200);
    expect(handled.length).toBeLessThan(13);
    for (const { status } of await Promise.all(greedy)) expect(status).toBe(200);
    expect(mostAtOnce).toBeLessThanOrEqual(5);
  });

  test('what a client that left had not sent is not taken for an empty body', async () => {
    const occupied = Array.from({ length: 6 }, () => post('/things', large, token));
    const head = `POST /things HTTP/1.1\nauthorization: x\n${announced}`;
    await raw(head, (socket) => setTimeout(() => socket.destroy(), 10));
    await raw(`${head}{"a":1`, (socket) => setTimeout(() => socket.end(), 10));
    await Promise.all(occupied);
    expect((await post('/things', '{"last":1}', token)).status).toBe(200);
    expect(handled.map((one) => Object.keys(one as object)[0])).toEqual([...Array(6).fill('text'), 'last']);
  });

  test('who asks first whether to send is told so, if it may', async () => {
    const asks = (more: string): Promise<string> =>
      raw(`POST /things HTTP/1.1\nexpect: 100-continue\nconnection: close\n${more}${announced}`, (socket) =>
        socket.once('data', (text) => String(text).includes('100') && socket.write(large.padEnd(7_000_000))),
      );
    expect(await asks('')).toMatch(/^HTTP\/1.1 401 /);
    expect(await asks('authorization: x\n')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 /);
  });
});
