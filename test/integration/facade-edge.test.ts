/** The edge of the facade: what each request and answer carries, which pages may ask, what is refused, what is logged. */
import http from 'node:http';
import { Writable } from 'node:stream';
import pino from 'pino';
import { byToken } from '../../src/server/facade';
import { ask, bearer, useTokenFacades } from '../support/token-facade';
import { until } from '../support/until';

const its = useTokenFacades();
const lines: Record<string, unknown>[] = [];
const log = pino(
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  }),
);

test('a body that is not JSON is told so without a word of it', async () => {
  const url = await its.start({}, false);
  const answer = await fetch(`${url}/api/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"data": {"password": canary-in-a-body}}',
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    code: 'ENTITY_PARSE_FAILED',
    detail: 'the body is not valid JSON',
  });
});

describe('the edge', () => {
  test('a request has an id: the caller’s, where it may stand in a log, in the answer and in errors', async () => {
    const url = await its.start({}, false);
    const kept = await ask(`${url}/nowhere`, { 'x-request-id': 'abc-1' });
    expect(kept.headers.get('x-request-id')).toBe('abc-1');
    expect(kept.body).toMatchObject({ code: 'NO_ROUTE', request_id: 'abc-1' });
    const made = await ask(`${url}/api/health`, { 'x-request-id': '{"forged": 1}' });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('security headers are set, and no other origin may ask unless it was named', async () => {
    const closed = await ask(`${await its.start()}/api/health`, { origin: 'https://gui.example' });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
    expect(closed.headers.get('x-content-type-options')).toBe('nosniff');
    expect(closed.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(closed.headers.get('x-powered-by')).toBeNull();
    const url = await its.start({ cors: ['https://gui.example'] });
    const preflight = { 'access-control-request-method': 'POST' };
    const named = await ask(`${url}/api/health`, { origin: 'https://gui.example', ...preflight }, 'OPTIONS');
    expect(named.status).toBe(204);
    expect(named.headers.get('access-control-allow-origin')).toBe('https://gui.example');
    expect(named.headers.get('access-control-allow-headers')).toContain('authorization');
    const other = await ask(`${url}/api/health`, { origin: 'https://evil.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('without tokens pages of other sites are refused, by whatever name they reach us', async () => {
    const free = await its.start({}, false);
    expect((await ask(`${free}/metrics`)).status).toBe(200);
    expect((await ask(`${free}/metrics`, { origin: 'http://localhost:3000' })).status).toBe(200);
    const foreign = await ask(`${free}/metrics`, { origin: 'https://evil.example' });
    expect(foreign).toMatchObject({ status: 403, body: { code: 'ORIGIN_REFUSED' } });
    const renamed = await new Promise<number | undefined>((resolve, reject) =>
      http
        .get(`${free}/metrics`, { headers: { host: 'evil.example' } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .once('error', reject),
    );
    expect(renamed).toBe(403);
  });

  test('without tokens pages of this machine read, and write what their browser asks leave for', async () => {
    const url = await its.start({ loopbackPages: true, cors: ['https://gui.example'] }, false);
    const page = { origin: 'http://localhost:3000' };
    const json = { 'content-type': 'application/json' };
    const read = await ask(`${url}/metrics`, page);
    expect(read).toMatchObject({ status: 200 });
    expect(read.headers.get('access-control-allow-origin')).toBe(page.origin);
    const post = (headers: Record<string, string>): ReturnType<typeof ask> =>
      ask(`${url}/api/executions/none/stop`, headers, 'POST');
    const asked = { ...page, 'access-control-request-method': 'POST' };
    const preflight = await ask(`${url}/api/executions/none/stop`, asked, 'OPTIONS');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const silent: Record<string, string>[] = [{}, { 'content-type': 'text/plain' }];
    for (const unasked of silent)
      expect(await post({ ...page, ...unasked })).toMatchObject({
        status: 403,
        body: { code: 'JSON_NEEDED' },
      });
    // The button of the official GUI, whose client says no type where there is no body; and no other route.
    const bare = async (what: string, headers = {}): Promise<number> =>
      (await ask(`${url}/api/executions/${'9'.repeat(30)}/${what}`, { ...page, ...headers }, 'POST')).status;
    expect([await bare('stop'), await bare('cancel')]).toEqual([422, 403]);
    expect(await bare('stop', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(403);
    expect(await bare('stop', { origin: 'https://evil.example' })).toBe(403);
    // They pass: what is wrong then is the id.
    const free: Record<string, string>[] = [
      { ...page, ...json },
      { origin: url },
      { origin: 'https://gui.example' },
      {},
    ];
    for (const headers of free) expect((await post(headers)).status).toBe(422);
    for (const origin of ['https://evil.example', 'null']) {
      const foreign = await ask(`${url}/metrics`, { origin });
      expect(foreign).toMatchObject({ status: 403, body: { code: 'ORIGIN_REFUSED' } });
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('who asks too much is told when to come back; another token and the probes are not held up', async () => {
    const [greedy] = await its.tokens.create({ name: 'greedy', scopes: ['read'] });
    const [modest] = await its.tokens.create({ name: 'modest', scopes: ['read'] });
    const { callerOf } = byToken(its.tokens, () => undefined);
    const url = await its.start({ rateLimit: { perMinute: 3, callerOf } });
    for (let i = 0; i < 3; i += 1) expect((await ask(`${url}/metrics`, bearer(greedy))).status).toBe(200);
    const limited = await ask(`${url}/metrics`, bearer(greedy));
    expect(limited).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(`${url}/metrics`, bearer(modest))).status).toBe(200);
    for (let i = 0; i < 5; i += 1) expect((await ask(`${url}/api/health`)).status).toBe(200);
  });

  test('each execution of a batch counts as a request', async () => {
    const [token] = await its.tokens.create({ name: 'batches', scopes: ['run'] });
    const { callerOf } = byToken(its.tokens, () => undefined);
    const url = await its.start({ rateLimit: { perMinute: 3, callerOf } });
    const response = await fetch(`${url}/api/execute/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify({ executions: [{}, {}, {}, {}, {}] }),
    });
    const { results } = (await response.json()) as { results: { code: string }[] };
    const codes = results.map(({ code }) => code);
    expect(codes).toEqual([...Array<string>(3).fill('VALIDATION'), ...Array<string>(2).fill('RATE_LIMITED')]);
    expect((await ask(`${url}/metrics`, bearer(token))).status).toBe(429);
  });

  test('each event of a batch counts as a request, and of one that is too many none is sent', async () => {
    const [token] = await its.tokens.create({ name: 'events', scopes: ['run'] });
    const { callerOf } = byToken(its.tokens, () => undefined);
    const url = await its.start({ rateLimit: { perMinute: 3, callerOf } });
    const response = await fetch(`${url}/api/events/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify({ execution_id: '1', events: Array.from({ length: 4 }, () => ({ name: 'go' })) }),
    });
    // Temporal is not asked: here there is none.
    expect([response.status, await response.json()]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
  });

  test('without a storage there are no results by reference, and it says so', async () => {
    const url = await its.start({}, false);
    expect(await ask(`${url}/api/result/resolve?ref=x`)).toMatchObject({
      status: 404,
      body: { code: 'NO_STORAGE' },
    });
  });

  test('a body that is too large is refused', async () => {
    const url = await its.start({}, false);
    const response = await fetch(`${url}/api/executions/1/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'x'.repeat(9 * 1024 * 1024) }),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'ENTITY_TOO_LARGE' });
  });

  test.each([
    ['nested too deep', '['.repeat(5000) + ']'.repeat(5000), 'application/json', 422, 'BODY_TOO_DEEP'],
    ['of too many values', `[${'1,'.repeat(300_000)}1]`, 'application/json', 413, 'BODY_TOO_MANY_VALUES'],
    ['in another charset', '{}', 'application/json; charset=utf-16', 415, 'CHARSET_UNSUPPORTED'],
  ])('a body %s is refused', async (_, body, type, status, code) => {
    const url = await its.start({}, false);
    const headers = { 'content-type': type };
    const response = await fetch(`${url}/api/execute`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  test('a line a request, without any header, body or value of the query', async () => {
    const [token] = await its.tokens.create({ name: 'logged', scopes: ['run'] });
    const url = await its.start({ log });
    lines.length = 0;
    const response = await fetch(`${url}/api/executions/no/cancel?api_key=CANARY`, {
      method: 'POST',
      headers: {
        ...bearer(token),
        'content-type': 'application/json',
        'x-request-id': 'line-1',
        cookie: 'CANARY',
      },
      body: '{"reason": "CANARY"}',
    });
    await response.text();
    await until(() => lines.length > 0);
    expect(lines).toEqual([
      expect.objectContaining({
        request_id: 'line-1',
        method: 'POST',
        path: '/api/executions/no/cancel?api_key=…',
        route: '/api/executions/{id}/cancel',
        status: 422,
        caller: 'logged',
        ms: expect.any(Number) as number,
      }),
    ]);
    const text = JSON.stringify(lines);
    expect(text).not.toContain('CANARY');
    expect(text).not.toContain(token);
  });

  test('what this server does not offer is no error of its log', async () => {
    const [token] = await its.tokens.create({ name: 'asks-models', scopes: ['read'] });
    const url = await its.start({ log });
    lines.length = 0;
    expect((await ask(`${url}/api/executions/1/analyze/ai`, bearer(token), 'POST')).status).toBe(501);
    await until(() => Promise.resolve(lines.length > 0));
    expect(lines).toEqual([expect.objectContaining({ status: 501, level: 30 })]);
  });

  test('durations are counted by the pattern of the route, not by path', async () => {
    const url = await its.start({}, false);
    for (const id of ['a1', 'b2']) await ask(`${url}/api/executions/${id}/status`);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain(
      'noetl_http_request_duration_seconds_count{method="GET",route="/api/executions/{id}/status",status="422"} 2',
    );
    expect(text).not.toContain('a1');
    expect(text).toContain('noetl_executions_started_total 0');
    // Temporal does not answer here: no value, in place of a wrong one.
    expect(text).toMatch(/^# TYPE noetl_executions_open gauge\n(?!noetl_executions_open)/m);
    expect(text).toContain('process_resident_memory_bytes');
  });
});
