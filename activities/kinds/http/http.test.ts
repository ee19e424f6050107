import http from 'node:http';
import { type AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { type MockApi, startMockApi } from '../../../test/support/mock-api';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { http as tool } from './run';
import { retryAfterSeconds } from '../../framework/http/errors';
import { isDenied } from '../../framework/http/guard';

let api: MockApi;
let server: http.Server;
let url: string;
/** What the raw server does with the next requests. */
let answer: (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => void = (
  _request,
  response,
) => response.end();

beforeAll(async () => {
  api = await startMockApi();
  server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(request, response, Buffer.concat(pieces)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await tool.close!();
  await api.close();
  server.closeAllConnections();
  server.close();
});

interface Result {
  status_code: number;
  headers: Record<string, string>;
  url: string;
  elapsed_ms: number;
  data: any; // oxlint-disable-line typescript/no-explicit-any
  data_encoding?: string;
}
const send = (config: JsonObject, more = {}, ctx = context()): Promise<Outcome> =>
  run(tool, config, more, ctx);
const ok = async (config: JsonObject, more = {}, ctx = context()): Promise<Result> => {
  const outcome = await send(config, more, ctx);
  expect(outcome.error).toBeNull();
  return outcome.result as unknown as Result;
};

describe('requests', () => {
  test('a GET answers status, headers, url, time and parsed data', async () => {
    const outcome = await send({ url: `${api.url}/api/v1/assessments`, params: { page: '2', pageSize: 5 } });
    expect(outcome).toMatchObject({
      status: 'ok',
      error: null,
      http: { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
    });
    const result = outcome.result as unknown as Result;
    expect(result).toMatchObject({
      status_code: 200,
      url: `${api.url}/api/v1/assessments?page=2&pageSize=5`,
    });
    expect(result.data).toMatchObject({ paging: { page: 2, hasMore: true }, data: { length: 5 } });
    expect(result.elapsed_ms).toBeGreaterThanOrEqual(0);
    expect(outcome.meta.duration_ms).toBeGreaterThan(0);
  });

  test('params: null is left out, lists repeat, booleans are true and false', async () => {
    const result = await ok({
      endpoint: `${api.url}/get?kept=1`,
      params: { a: null, b: ['x', 'y'], c: true, d: 'ü &', e: 0 },
    });
    expect(result.data.args).toEqual({ kept: '1', b: ['x', 'y'], c: 'true', d: 'ü &', e: '0' });
  });

  test.each(['json', 'payload', 'data', 'body'])('%s sends JSON', async (field) => {
    const result = await ok({ method: 'post', url: `${api.url}/post`, [field]: { a: [1, null] } });
    expect(result.data).toMatchObject({
      json: { a: [1, null] },
      headers: { 'content-type': 'application/json' },
    });
  });

  test('form, form by content type, text, and JSON text', async () => {
    const post = (config: JsonObject): Promise<Result> =>
      ok({ method: 'POST', url: `${api.url}/post`, ...config });
    expect((await post({ form: { a: '1', b: ['2', '3'] } })).data.form).toEqual({ a: '1', b: ['2', '3'] });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await post({ data: { a: 'x y' }, headers })).data.form).toEqual({ a: 'x y' });
    expect((await post({ body: '{"a": 1}' })).data.json).toEqual({ a: 1 });
    expect((await post({ body: 'plain' })).data.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('writes carry the idempotency key unless the author set one; reads do not', async () => {
    const key = (result: Result): unknown => result.data.headers['idempotency-key'];
    expect(key(await ok({ method: 'POST', url: `${api.url}/post` }))).toBe(
      '287146398761160704/step#1.http~1',
    );
    expect(
      key(await ok({ method: 'POST', url: `${api.url}/post`, headers: { 'Idempotency-Key': 'mine' } })),
    ).toBe('mine');
    expect(key(await ok({ url: `${api.url}/get` }))).toBeUndefined();
  });

  test('wrong input is a validation error that names the field', async () => {
    expect((await send({})).error).toMatchObject({
      kind: 'validation',
      code: 'INVALID_URL',
      message: 'http: no url provided (url or endpoint)',
    });
    expect((await send({ url: 'nonsense' })).error!.message).toBe("http: 'nonsense' is not a URL");
    expect((await send({ url: 'file:///etc/passwd' })).error).toMatchObject({
      kind: 'validation',
      code: 'INVALID_URL',
    });
    expect((await send({ url, headers: ['a'] })).error!.message).toBe(
      'http: headers must be a mapping, not a list',
    );
    expect((await send({ url, headers: { 'X-A': 'a\r\nX-B: b' } })).error).toMatchObject({
      code: 'INVALID_HEADER',
    });
    expect((await send({ url, follow_redirects: 'perhaps' })).error!.message).toContain(
      'must be true or false',
    );
  });
});

describe('auth', () => {
  const headersFor = async (auth: JsonObject | string, credentials = {}): Promise<Record<string, string>> =>
    (await ok({ url: `${api.url}/get`, auth }, {}, context(credentials))).data.headers as Record<
      string,
      string
    >;

  test('inline and stored: bearer, basic, api_key in header or query', async () => {
    expect((await headersFor({ type: 'bearer', token: 't' }))['authorization']).toBe('Bearer t');
    expect((await headersFor({ type: 'basic', username: 'u', password: 'p' }))['authorization']).toBe(
      'Basic dTpw',
    );
    expect((await headersFor({ type: 'api_key', header: 'X-Key', value: 'v' }))['x-key']).toBe('v');
    expect(
      (await headersFor('stored', { stored: { type: 'bearer', data: { token: 's' } } }))['authorization'],
    ).toBe('Bearer s');
    const reference = { type: 'bearer', credential: 'stored' };
    expect((await headersFor(reference, { stored: { data: { token: 'r' } } }))['authorization']).toBe(
      'Bearer r',
    );
    const query = await ok({
      url: `${api.url}/get`,
      auth: { type: 'api_key', in: 'query', name: 'k', key: 'v' },
    });
    expect(query.data.args).toEqual({ k: 'v' });
  });

  test('user and password in the URL become basic auth and leave the URL', async () => {
    const result = await ok({ url: `${api.url}/get`.replace('//', '//u:p@') });
    expect(result.data.headers.authorization).toBe('Basic dTpw');
    expect(result.url).toBe(`${api.url}/get`);
  });

  test('a missing credential says where one may be put', async () => {
    expect((await send({ url, auth: 'nobody' })).error).toMatchObject({
      kind: 'auth',
      code: 'CREDENTIAL_NOT_FOUND',
      message: "credential 'nobody' was not found; add it to the test",
    });
    expect((await send({ url, auth: { type: 'postgres', dsn: 'x' } })).error).toMatchObject({
      kind: 'auth',
      code: 'CREDENTIAL_UNSUITABLE',
    });
  });
});

describe('failures', () => {
  test.each([
    [429, 'rate_limit', true],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'not_found', false],
    [408, 'timeout', true],
    [422, 'client_error', false],
    [500, 'server_error', true],
    [503, 'server_error', true],
  ])('%i is %s, retryable: %s, and keeps its body', async (status, kind, retryable) => {
    const outcome = await send({ url: `${api.url}/api/v1/errors`, params: { status } });
    expect(outcome.error).toMatchObject({
      kind,
      code: `HTTP_${status}`,
      status,
      status_code: status,
      retryable,
    });
    expect(outcome.http).toMatchObject({ status });
    expect(outcome.result).toMatchObject({
      status_code: status,
      data: { error: `status ${status} was asked for` },
    });
  });

  test('Retry-After in seconds and as a date', async () => {
    expect((await send({ url: `${api.url}/api/v1/rate-limited?retry_after=7` })).error).toMatchObject({
      retry_after: 7,
    });
    expect(retryAfterSeconds('Sat, 21 Nov 2026 08:00:10 GMT', Date.UTC(2026, 10, 21, 8, 0, 0))).toBe(10);
    expect(retryAfterSeconds('soon')).toBeUndefined();
  });

  test('nobody listens, unknown host, connection cut', async () => {
    expect((await send({ url: 'http://127.0.0.1:1/x?token=hidden' })).error).toMatchObject({
      kind: 'connection',
      code: 'CONNECTION_REFUSED',
      message: 'GET http://127.0.0.1:1/x: the connection was refused',
      retryable: true,
    });
    expect((await send({ url: 'http://no-such-host.invalid/' })).error).toMatchObject({
      kind: 'connection',
      retryable: true,
    });
    answer = (request) => request.socket.destroy();
    expect((await send({ url })).error).toMatchObject({ kind: 'connection', retryable: true });
  });

  test('total and read timeouts; cancellation', async () => {
    answer = () => undefined;
    expect((await send({ url }, { timeout: { total: 0.2 } })).error).toMatchObject({
      kind: 'timeout',
      code: 'TIMEOUT',
      retryable: true,
    });
    expect((await send({ url, timeout: 0.2 })).error).toMatchObject({ kind: 'timeout' });
    expect((await send({ url }, { timeout: { total: 20, read: 0.6 } })).error).toMatchObject({
      kind: 'timeout',
      code: 'READ_TIMEOUT',
    });
    const ctx = context();
    setTimeout(() => ctx.controller.abort(), 100);
    expect((await send({ url }, {}, ctx)).error).toMatchObject({ kind: 'cancelled' });
  });

  test('link-local addresses are denied: directly, mapped, by redirect', async () => {
    for (const host of [
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      '2852039166',
      '0xa9fea9fe',
    ]) {
      expect((await send({ url: `http://${host}/latest/meta-data` })).error).toMatchObject({
        kind: 'validation',
        code: 'ADDRESS_DENIED',
      });
    }
    answer = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/x' }).end();
    expect((await send({ url })).error).toMatchObject({ code: 'ADDRESS_DENIED' });
    expect(isDenied('127.0.0.1')).toBe(false);
    expect(isDenied('100.100.100.200')).toBe(true);
  });
});

describe('responses', () => {
  const reply = async (
    type: string | undefined,
    body: string | Buffer,
    config: JsonObject = {},
    headers = {},
  ): Promise<Result> => {
    answer = (_request, response) =>
      response.writeHead(200, { ...(type && { 'content-type': type }), ...headers }).end(body);
    return ok({ url, ...config });
  };

  test('JSON, text, binary, empty, and what only claims to be JSON', async () => {
    expect((await reply('application/problem+json', '{"a":1}')).data).toEqual({ a: 1 });
    expect((await reply('text/plain', '{"a":1}')).data).toBe('{"a":1}');
    expect((await reply('text/plain', '{"a":1}', { response_type: 'json' })).data).toEqual({ a: 1 });
    expect((await reply(undefined, '[1]')).data).toEqual([1]);
    expect((await reply('application/json', 'oops')).data).toBe('oops');
    expect((await reply('application/json', '{"id": 9007199254740993}')).data).toEqual({
      id: '9007199254740993',
    });
    expect((await reply('application/json', '{"n": NaN}')).data).toBe('{"n": NaN}');
    expect((await reply('text/plain; charset=iso-8859-1', Buffer.from([0xe9]))).data).toBe('é');
    const euro = Buffer.from([0x80, 0x20, 0x93, 0xe9]);
    expect((await reply('text/plain; charset="windows-1252"', euro)).data).toBe('€ “é');
    expect((await reply('application/json', '{"n": 1e308}')).data).toEqual({ n: 1e308 });
    expect(await reply('image/png', Buffer.from([0x89, 0xff]))).toMatchObject({
      data: 'if8=',
      data_encoding: 'base64',
    });
    expect((await reply('application/json', '')).data).toBeNull();
  });

  test('compressed answers are read; a bomb is not', async () => {
    const encoded = (name: string, body: Buffer): Promise<Result> =>
      reply('application/json', body, {}, { 'content-encoding': name });
    expect((await encoded('gzip', zlib.gzipSync('{"a":1}'))).data).toEqual({ a: 1 });
    expect((await encoded('br', zlib.brotliCompressSync('{"a":2}'))).data).toEqual({ a: 2 });
    expect((await encoded('deflate', zlib.deflateSync('{"a":3}'))).data).toEqual({ a: 3 });
    answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync(Buffer.alloc(10_000_000)));
    expect((await send({ url, max_response_bytes: 100_000 })).error).toMatchObject({
      kind: 'validation',
      code: 'RESPONSE_TOO_LARGE',
    });
  });

  test('a body above the limit is refused while it arrives', async () => {
    answer = (_request, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024, 'x')), 1);
      response.on('close', () => clearInterval(timer));
    };
    expect((await send({ url, max_response_bytes: 200_000 })).error).toMatchObject({
      code: 'RESPONSE_TOO_LARGE',
    });
  });

  test('redirects are followed, without credentials to another origin, and can be refused', async () => {
    answer = (request, response, body) => {
      if (request.url === '/start') response.writeHead(302, { location: '/next' }).end();
      else if (request.url === '/keep') response.writeHead(307, { location: '/next' }).end();
      else if (request.url === '/away') response.writeHead(302, { location: `${api.url}/get` }).end();
      else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ method: request.method, body: body.toString() }));
    };
    const post = { method: 'POST', json: { a: 1 } };
    expect((await ok({ ...post, url: `${url}/start` })).data).toEqual({ method: 'GET', body: '' });
    expect((await ok({ ...post, url: `${url}/keep` })).data).toEqual({ method: 'POST', body: '{"a":1}' });
    const away = await ok({
      url: `${url}/away`,
      auth: { type: 'api_key', header: 'X-Key', value: 'secret-key' },
      headers: { authorization: 'x' },
    });
    expect(away.data.headers).not.toHaveProperty('x-key');
    expect(away.data.headers).not.toHaveProperty('authorization');
    expect((await send({ url: `${url}/loop` })).error).toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
    expect((await send({ url: `${url}/start`, follow_redirects: false })).error).toMatchObject({
      code: 'HTTP_302',
      kind: 'client_error',
    });
  });
});
