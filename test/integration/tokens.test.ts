/** Tokens and the edge of the facade, over a real Postgres; the Temporal client is never asked here. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Writable } from 'node:stream';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import {
  byToken,
  createFacade,
  type EdgeOptions,
  type FacadeServices,
  listen,
  type Listening,
  Metrics,
  openFor,
} from '../../src/facade';
import { configuredKeyRing } from '../../src/keyring';
import { Credentials, type Database, openDatabase, Tokens } from '../../src/store';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { until } from '../support/until';

let postgres: TestPostgres;
let database: Database;
let tokens: Tokens;
const open_: Listening[] = [];
const lines: Record<string, unknown>[] = [];
const log = pino(
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  }),
);

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await openDatabase(postgres.url);
  tokens = new Tokens(database);
}, 60_000);
afterAll(async () => {
  for (const one of open_) await one.close();
  await database?.close();
  await postgres?.stop();
}, 60_000);

async function facade(
  edge: EdgeOptions = {},
  guarded = true,
  more: Partial<FacadeServices> = {},
): Promise<string> {
  const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const report = (error: unknown): void => {
    throw error;
  };
  const { authenticate, check } = byToken(tokens, report);
  const services = {
    client,
    database,
    authenticate: guarded ? authenticate : openFor(edge.cors ?? []),
    ...(guarded && { checkToken: check }),
    version: 'x',
    report,
    metrics: new Metrics(),
    ...more,
  };
  const listening = await listen(createFacade(services, edge), 0);
  open_.push(listening);
  return listening.url;
}

const ask = async (
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> => {
  const response = await fetch(url, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
};
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('the Temporal UI in a browser', () => {
  const UI = 'http://localhost:8233';
  const enter = (url: string, token: string) =>
    fetch(`${url}/codec/session`, { method: 'POST', body: new URLSearchParams({ token }) });

  test('whoever leaves a token that may read has payloads decrypted there, by a cookie for that alone', async () => {
    const url = await facade({}, true, {
      uiOrigins: [UI],
      keys: configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') }),
    });
    const [[reader, { id }], [worker]] = await Promise.all([
      tokens.create({ name: 'of the UI', scopes: ['read'] }),
      tokens.create({ name: 'not of the UI', scopes: ['worker'] }),
    ]);
    expect(await (await fetch(`${url}/codec/session`)).text()).toContain('type="password" name="token"');
    const entered = await enter(url, ` ${reader} `);
    expect(entered.status).toBe(200);
    const [cookie = ''] = entered.headers.getSetCookie();
    expect(cookie).toMatch(/^noetl_codec=\S+; Max-Age=43200; Path=\/codec; .*HttpOnly; SameSite=Strict$/);
    const decode = (sent: string) =>
      fetch(`${url}/codec/decode?preserveStorageRefs=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: UI, cookie: sent },
        body: JSON.stringify({ payloads: [] }),
      });
    const answer = await decode(cookie.split(';')[0]!);
    expect([answer.status, await answer.json()]).toEqual([200, { payloads: [] }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await decode('')).status).toBe(401);

    for (const [token, status, code] of [
      [worker, 403, 'SCOPE_MISSING'],
      ['noetl_nobody', 401, 'TOKEN_UNKNOWN'],
    ] as const) {
      const refused = await enter(url, token);
      expect([refused.status, refused.headers.getSetCookie()]).toEqual([status, []]);
      expect(await refused.json()).toMatchObject({ code });
    }
    await tokens.revoke(id);
    expect((await decode(cookie.split(';')[0]!)).status).toBe(401);
    expect((await enter(url, '')).headers.getSetCookie()[0]).toMatch(
      /^noetl_codec=; Path=\/codec; Expires=Thu, 01 Jan 1970/,
    );
  });

  test('where nobody needs a token there is none to leave', async () => {
    const url = await facade({}, false);
    expect(await (await fetch(`${url}/codec/session`)).text()).toContain('requires no token');
    expect((await enter(url, 'noetl_any')).status).toBe(409);
  });
});

test('a limited token gets only the credentials it names, and every refusal is on record', async () => {
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') });
  const url = await facade({}, true, { keys });
  const writer = { principal: 'test' };
  const store = new Credentials(database, keys);
  const login = { db_host: 'h', db_user: 'u', db_password: 'p', db_name: 'd' };
  await store.put({ name: 'pg_main', type: 'postgres', data: login }, writer);
  await store.put({ name: 'pg_api', type: 'bearer', data: { token: 't' } }, writer);
  await store.put({ name: 'other', type: 'postgres', data: login }, writer);
  const limits = { credentials: ['pg_*'], kinds: ['postgres'] };
  const [limited, info] = await tokens.create({ name: 'limited', scopes: ['worker', 'read'], limits });
  expect(info.limits).toEqual(limits);
  // The same again is the same token; with other limits it is another.
  expect(
    (await tokens.create({ name: 'limited', scopes: ['read', 'worker'], limits, token: limited }))[1].id,
  ).toBe(info.id);
  await expect(
    tokens.create({ name: 'limited', scopes: ['worker', 'read'], token: limited }),
  ).rejects.toMatchObject({ code: 'TOKEN_EXISTS' });
  const [whole] = await tokens.create({ name: 'whole', scopes: ['worker'] });
  const read = (name: string, token = limited) =>
    ask(`${url}/api/credentials/${name}?include_data=true&execution_id=7`, bearer(token));

  expect((await read('pg_main')).body).toMatchObject({ data: login });
  const id = (await store.info('other'))!.id;
  for (const [name, reason] of [
    ['pg_api', 'limited to the kinds postgres'],
    ['other', 'limited to credentials called pg_*'],
    [id, 'limited to credentials called pg_*'],
  ] as const) {
    const refused = await read(name);
    expect(refused).toMatchObject({ status: 403, body: { code: 'CREDENTIAL_REFUSED' } });
    expect(refused.body['detail']).toContain(reason);
    expect(refused.body['data']).toBeUndefined();
    expect((await read(name, whole)).status).toBe(200);
  }
  expect(await store.audit({ name: 'other' })).toMatchObject([
    { action: 'read', principal: 'whole' },
    { action: 'refused', principal: 'limited', executionId: '7' },
    { action: 'read', principal: 'whole' },
    { action: 'refused', principal: 'limited' },
    { action: 'write' },
  ]);

  const cached = (credential_name: string) => ({
    credential_name,
    credential_type: 'oauth2',
    data: { token: 'x' },
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  });
  const cache = async (method: string, key: string, token: string, body?: object): Promise<number> => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await fetch(`${url}/api/auth_cache/${key}`, sent)).status;
  };
  expect(await cache('PUT', 'k1', whole, cached('of_others'))).toBe(200);
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', cached('pg_x')]] as const)
    expect(await cache(method, 'k1', limited, body)).toBe(403);
  expect(await cache('GET', 'k1', whole)).toBe(200);
  expect(await cache('PUT', 'k2', limited, cached('of_others'))).toBe(403);
  expect(await cache('PUT', 'k2', limited, cached('pg_x'))).toBe(200);
  expect(await cache('GET', 'k2', limited)).toBe(200);
  await tokens.revoke('limited');
  expect((await read('pg_main')).status).toBe(401);
});

test('a body that is not JSON is told so without a word of it', async () => {
  const url = await facade({}, false);
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

describe('tokens', () => {
  test('neither a token nor its secret is in the database', async () => {
    const [token, info] = await tokens.create({ name: 'kept', scopes: ['read'] });
    const rows = await database.query
      .selectFrom('noetl.token')
      .selectAll()
      .where('id', '=', info.id)
      .execute();
    expect(rows).toHaveLength(1);
    const secret = token.split('_').slice(2).join('_');
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows[0]!.digest.toString('latin1')).not.toContain(secret);
    expect(await tokens.find(token)).toMatchObject({ id: info.id, state: 'valid' });
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    expect(await tokens.find(forged)).toBeUndefined();
  });

  test('a name is one token at a time; a revoked one gives it back and stays in the list', async () => {
    const [first] = await tokens.create({ name: 'ci', scopes: ['run'] });
    await expect(tokens.create({ name: 'ci', scopes: ['run'] })).rejects.toMatchObject({
      code: 'TOKEN_EXISTS',
    });
    expect(await tokens.revoke('ci')).toMatchObject({ name: 'ci' });
    expect(await tokens.revoke('ci')).toBeUndefined();
    const [second] = await tokens.create({ name: 'ci', scopes: ['run'] });
    expect(await tokens.find(first)).toMatchObject({ state: 'revoked' });
    expect(await tokens.find(second)).toMatchObject({ state: 'valid' });
    const named = (await tokens.list()).filter(({ name }) => name === 'ci');
    expect(named.map(({ revokedAt }) => revokedAt === null).sort()).toEqual([false, true]);
  });

  test('a token made elsewhere is taken once, and once more without a change', async () => {
    const token = `noetl_0123456789ab_${'a1'.repeat(32)}`;
    const given = { name: 'elsewhere', scopes: ['worker', 'read'], token };
    const [, first] = await tokens.create(given);
    const [, again] = await tokens.create({ ...given, scopes: ['read', 'worker'] });
    expect(again.createdAt).toEqual(first.createdAt);
    await expect(tokens.create({ ...given, scopes: ['admin'] })).rejects.toMatchObject({
      code: 'TOKEN_EXISTS',
    });
    await expect(tokens.create({ ...given, name: 'x', token: 'hunter2' })).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });
});

describe('the door', () => {
  let url: string;
  beforeAll(async () => {
    url = await facade();
  });
  const guarded = (): string => `${url}/metrics`; // needs read
  const steering = (): string => `${url}/api/executions/no/cancel`; // needs run

  test('health is for everybody, the rest for tokens, in either header', async () => {
    const [token] = await tokens.create({ name: 'reader', scopes: ['read'] });
    expect((await ask(`${url}/api/health`)).status).toBe(200);
    const refused = await ask(guarded());
    expect(refused).toMatchObject({ status: 401, body: { code: 'TOKEN_MISSING' } });
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect((await ask(guarded(), bearer(token))).status).toBe(200);
    expect((await ask(guarded(), { 'x-session-token': token })).status).toBe(200);
    expect(await ask(guarded(), bearer('nonsense'))).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_UNKNOWN' },
    });
  });

  test.each([
    [['read'], 403, 'SCOPE_MISSING'],
    [['worker'], 403, 'SCOPE_MISSING'],
    // Who is let in is told that there is no execution of this id.
    [['run'], 422, 'EXECUTION_ID'],
    [['admin'], 422, 'EXECUTION_ID'],
  ])('a token with %p that steers is answered %i %s', async (scopes, status, code) => {
    const [token] = await tokens.create({ name: `steer ${String(scopes)}`, scopes });
    expect(await ask(steering(), bearer(token), 'POST')).toMatchObject({ status, body: { code } });
  });

  test('a token that has expired or was revoked is refused from then on, and told why', async () => {
    const [brief] = await tokens.create({ name: 'brief', scopes: ['read'], expiresInMs: 0 });
    expect(await ask(guarded(), bearer(brief))).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_EXPIRED' },
    });
    const [gone] = await tokens.create({ name: 'gone', scopes: ['read'] });
    expect((await ask(guarded(), bearer(gone))).status).toBe(200);
    await tokens.revoke('gone');
    expect(await ask(guarded(), bearer(gone))).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
  });

  test('its last use is kept', async () => {
    const [token, { id, lastUsedAt }] = await tokens.create({ name: 'used', scopes: ['read'] });
    expect(lastUsedAt).toBeNull();
    await ask(guarded(), bearer(token));
    let used: Date | null = null;
    for (const end = Date.now() + 10_000; used === null && Date.now() < end;)
      used = (await tokens.list()).find((one) => one.id === id)!.lastUsedAt;
    expect(used).toBeInstanceOf(Date);
  });

  test('the official GUI logs in with a token, as it would with a session of its gateway', async () => {
    const url = await facade();
    const [token] = await tokens.create({ name: 'gui', scopes: ['read'] });
    const [worker] = await tokens.create({ name: 'gui-worker', scopes: ['worker'] });
    const post = async (what: string, body: object): Promise<[number, unknown]> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/api/auth/${what}`, init);
      return [response.status, await response.json()];
    };
    const user = { display_name: 'gui', roles: ['read'] };
    const answered = (more: object): unknown => [200, expect.objectContaining(more)];
    expect(await post('validate', { session_token: token })).toEqual(answered({ valid: true, user }));
    for (const session_token of ['nonsense', worker])
      expect(await post('validate', { session_token })).toEqual(answered({ valid: false, user: null }));
    const session = { auth0_token: token, auth0_domain: 'x.auth0.com' };
    expect(await post('login', session)).toEqual(answered({ session_token: token, user }));
    expect(await post('login', { auth0_token: 'eyJ.of.auth0' })).toEqual([
      401,
      expect.objectContaining({ code: 'TOKEN_UNKNOWN', error: expect.stringContaining('Auth0') as string }),
    ]);
    const wish = { session_token: token, playbook_path: 'a/b' };
    const may = (permission_type: string): Promise<[number, unknown]> =>
      post('check-access', { ...wish, permission_type });
    expect(await may('view')).toEqual(answered({ allowed: true, playbook_path: 'a/b' }));
    for (const more of ['execute', 'edit', 'constructor'])
      expect(await may(more)).toEqual(answered({ allowed: false, permission_type: more }));
  });

  test('without tokens pages of other sites are refused, by whatever name they reach us', async () => {
    const free = await facade({}, false);
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
    const url = await facade({ loopbackPages: true, cors: ['https://gui.example'] }, false);
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
});

describe('the edge', () => {
  test('a request has an id: the caller’s, where it may stand in a log, in the answer and in errors', async () => {
    const url = await facade({}, false);
    const kept = await ask(`${url}/nowhere`, { 'x-request-id': 'abc-1' });
    expect(kept.headers.get('x-request-id')).toBe('abc-1');
    expect(kept.body).toMatchObject({ code: 'NO_ROUTE', request_id: 'abc-1' });
    const made = await ask(`${url}/api/health`, { 'x-request-id': '{"forged": 1}' });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('security headers are set, and no other origin may ask unless it was named', async () => {
    const closed = await ask(`${await facade()}/api/health`, { origin: 'https://gui.example' });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
    expect(closed.headers.get('x-content-type-options')).toBe('nosniff');
    expect(closed.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(closed.headers.get('x-powered-by')).toBeNull();
    const url = await facade({ cors: ['https://gui.example'] });
    const preflight = { 'access-control-request-method': 'POST' };
    const named = await ask(`${url}/api/health`, { origin: 'https://gui.example', ...preflight }, 'OPTIONS');
    expect(named.status).toBe(204);
    expect(named.headers.get('access-control-allow-origin')).toBe('https://gui.example');
    expect(named.headers.get('access-control-allow-headers')).toContain('authorization');
    const other = await ask(`${url}/api/health`, { origin: 'https://evil.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('who asks too much is told when to come back; another token and the probes are not held up', async () => {
    const [greedy] = await tokens.create({ name: 'greedy', scopes: ['read'] });
    const [modest] = await tokens.create({ name: 'modest', scopes: ['read'] });
    const { callerOf } = byToken(tokens, () => undefined);
    const url = await facade({ rateLimit: { perMinute: 3, callerOf } });
    for (let i = 0; i < 3; i += 1) expect((await ask(`${url}/metrics`, bearer(greedy))).status).toBe(200);
    const limited = await ask(`${url}/metrics`, bearer(greedy));
    expect(limited).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(`${url}/metrics`, bearer(modest))).status).toBe(200);
    for (let i = 0; i < 5; i += 1) expect((await ask(`${url}/api/health`)).status).toBe(200);
  });

  test('a body that is too large is refused', async () => {
    const url = await facade({}, false);
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
    const url = await facade({}, false);
    const headers = { 'content-type': type };
    const response = await fetch(`${url}/api/execute`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  test('a line a request, without any header, body or value of the query', async () => {
    const [token] = await tokens.create({ name: 'logged', scopes: ['run'] });
    const url = await facade({ log });
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
    for (const end = Date.now() + 10_000; lines.length === 0 && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 10));
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
    const [token] = await tokens.create({ name: 'asks-models', scopes: ['read'] });
    const url = await facade({ log });
    lines.length = 0;
    expect((await ask(`${url}/api/executions/1/analyze/ai`, bearer(token), 'POST')).status).toBe(501);
    await until(() => Promise.resolve(lines.length > 0));
    expect(lines).toEqual([expect.objectContaining({ status: 501, level: 30 })]);
  });

  test('durations are counted by the pattern of the route, not by path', async () => {
    const url = await facade({}, false);
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
