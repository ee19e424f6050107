/** Tokens: what is kept of them, whom they let in, and what a limited one gets. */
import { randomBytes } from 'node:crypto';
import { configuredKeyRing } from '../../src/storage/keyring';
import { Credentials } from '../../src/server/store';
import { ask, bearer, useTokenFacades } from '../support/token-facade';
import { until } from '../support/until';

const its = useTokenFacades();

describe('the Temporal UI in a browser', () => {
  const UI = 'http://localhost:8233';
  const logIn = (url: string, token: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    });

  test('whoever is logged in to the console has payloads decrypted there, by its cookie', async () => {
    const url = await its.start({}, true, {
      uiOrigins: [UI],
      keys: configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') }),
    });
    const [[reader, { id }], [worker]] = await Promise.all([
      its.tokens.create({ name: 'of the UI', scopes: ['read'] }),
      its.tokens.create({ name: 'not of the UI', scopes: ['worker'] }),
    ]);
    const [cookie = ''] = (await logIn(url, reader)).headers.getSetCookie();
    expect(cookie).toMatch(/^noetl_session=\S+; Max-Age=43200; Path=\/; .*HttpOnly; SameSite=Strict$/);
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
      const refused = await logIn(url, token);
      expect([refused.status, refused.headers.getSetCookie()]).toEqual([status, []]);
      expect(await refused.json()).toMatchObject({ code });
    }
    await its.tokens.revoke(id);
    expect((await decode(cookie.split(';')[0]!)).status).toBe(401);
  });

  test('another site cannot leave a token of its own: its forms are no JSON, and JSON it may not send', async () => {
    const url = await its.start({}, true, { uiOrigins: [UI] });
    const [reader] = await its.tokens.create({ name: 'of a page', scopes: ['read'] });
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const refused = await logIn(url, reader, { 'content-type': type, origin: 'https://evil.example' });
      expect([type, refused.status, refused.headers.getSetCookie()]).toEqual([type, 415, []]);
    }
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', UI]) {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await fetch(`${url}/api/auth/session`, { method: 'OPTIONS', headers });
      expect([origin, preflight.headers.get('access-control-allow-origin')]).toEqual([origin, null]);
    }
  });

  test('where nobody needs a token there is none to leave', async () => {
    const url = await its.start({}, false);
    expect((await logIn(url, 'noetl_any')).status).toBe(409);
  });
});

test('a limited token gets only the credentials it names, and every refusal is on record', async () => {
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') });
  const url = await its.start({}, true, { keys });
  const writer = { principal: 'test' };
  const store = new Credentials(its.database, keys);
  const login = { db_host: 'h', db_user: 'u', db_password: 'p', db_name: 'd' };
  await store.put({ name: 'pg_main', type: 'postgres', data: login }, writer);
  await store.put({ name: 'pg_api', type: 'bearer', data: { token: 't' } }, writer);
  await store.put({ name: 'other', type: 'postgres', data: login }, writer);
  const limits = { credentials: ['pg_*'], kinds: ['postgres'] };
  const [limited, info] = await its.tokens.create({ name: 'limited', scopes: ['worker', 'read'], limits });
  expect(info).toMatchObject(limits);
  // The same again is the same token; with other limits it is another.
  expect(
    (await its.tokens.create({ name: 'limited', scopes: ['read', 'worker'], limits, token: limited }))[1].id,
  ).toBe(info.id);
  await expect(
    its.tokens.create({ name: 'limited', scopes: ['worker', 'read'], token: limited }),
  ).rejects.toMatchObject({ code: 'TOKEN_EXISTS' });
  const [whole] = await its.tokens.create({ name: 'whole', scopes: ['worker'] });
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
    { action: 'refused', principal: 'limited', execution_id: '7' },
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
  await its.tokens.revoke('limited');
  expect((await read('pg_main')).status).toBe(401);
});

test('where nobody needs a token, secrets are read with one all the same: tasks can ask, too', async () => {
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') });
  const url = await its.start({}, false, { keys });
  const data = { token: 'open-to-nobody' };
  await new Credentials(its.database, keys).put(
    { name: 'open', type: 'bearer', data },
    { principal: 'test' },
  );
  const [worker] = await its.tokens.create({ name: 'of a dev', scopes: ['worker'] });
  const [reader] = await its.tokens.create({ name: 'reader of a dev', scopes: ['read'] });
  const path = '/api/credentials/open?include_data=true';
  expect(await ask(`${url}${path}`, bearer(worker))).toMatchObject({ status: 200, body: { data } });
  for (const [headers, status, code] of [
    [{}, 401, 'TOKEN_NEEDED'],
    [{ cookie: 'noetl_session=x', 'x-noetl-console': '1' }, 401, 'TOKEN_UNKNOWN'],
    [bearer('noetl_nobody'), 401, 'TOKEN_UNKNOWN'],
    [bearer(reader), 403, 'SCOPE_MISSING'],
  ] as const) {
    const refused = await ask(`${url}${path}`, headers);
    expect(refused).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(refused.body)).not.toContain('open-to-nobody');
    for (const method of ['GET', 'DELETE'])
      expect((await ask(`${url}/api/auth_cache/k9`, headers, method)).status).toBe(status);
  }
  expect((await ask(`${url}/api/credentials/open`)).body).toMatchObject({ name: 'open', data: null });
});

test('only playbooks that the operator names go before the tasks of others, and a bound worker gets its own', async () => {
  const url = await its.start({}, true, { prioritized: ['ops/*'] });
  const [author] = await its.tokens.create({ name: 'author', scopes: ['run'] });
  const [worker] = await its.tokens.create({ name: 'any plan', scopes: ['worker'] });
  const limits = { paths: ['ops/*'] };
  const [bound] = await its.tokens.create({ name: 'plans of ops', scopes: ['worker'], limits });
  const send = async (route: string, body: object, token: string): Promise<unknown> => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    const answer = await fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.status === 200 ? 200 : ((await answer.json()) as { code: string }).code;
  };
  const playbook = (path: string, spec: string): string =>
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: ${path}}\n` +
    `workflow: [{step: start, tool: {kind: http, url: "http://x", spec: ${spec}}}]\n`;
  for (const [path, spec, plan] of [
    ['team/first', '{priority: 1}', 'PRIORITY_REFUSED'],
    ['team/many', '{fairness: {key: a}}', 'PRIORITY_REFUSED'],
    ['team/last', '{priority: 5}', 200],
    ['ops/first', '{priority: 1}', 200],
  ] as const) {
    expect(await send('/api/catalog/register', { content: playbook(path, spec) }, author)).toBe(200);
    expect([path, await send('/api/catalog/plan', { path }, worker)]).toEqual([path, plan]);
    if (plan !== 200) {
      expect(await send('/api/execute', { path }, author)).toBe(plan);
      const content = playbook(path, spec);
      expect(await send('/api/execute/draft', { content }, author)).toBe(plan);
      expect(await send('/api/executions/1/rerun', { playbook: content }, author)).toBe(plan);
    }
    expect([path, await send('/api/catalog/plan', { path }, bound)]).toEqual([
      path,
      path.startsWith('ops/') ? 200 : 'PATH_REFUSED',
    ]);
  }
});

describe('tokens', () => {
  test('neither a token nor its secret is in the database', async () => {
    const [token, info] = await its.tokens.create({ name: 'kept', scopes: ['read'] });
    const rows = await its.database.query
      .selectFrom('noetl.token')
      .selectAll()
      .where('id', '=', info.id)
      .execute();
    expect(rows).toHaveLength(1);
    const secret = token.split('_').slice(2).join('_');
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows[0]!.digest.toString('latin1')).not.toContain(secret);
    expect(await its.tokens.find(token)).toMatchObject({ id: info.id, state: 'valid' });
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    expect(await its.tokens.find(forged)).toBeUndefined();
  });

  test('a name is one token at a time; a revoked one gives it back and stays in the list', async () => {
    const [first] = await its.tokens.create({ name: 'ci', scopes: ['run'] });
    await expect(its.tokens.create({ name: 'ci', scopes: ['run'] })).rejects.toMatchObject({
      code: 'TOKEN_EXISTS',
    });
    expect(await its.tokens.revoke('ci')).toMatchObject({ name: 'ci' });
    expect(await its.tokens.revoke('ci')).toBeUndefined();
    const [second] = await its.tokens.create({ name: 'ci', scopes: ['run'] });
    expect(await its.tokens.find(first)).toMatchObject({ state: 'revoked' });
    expect(await its.tokens.find(second)).toMatchObject({ state: 'valid' });
    const named = (await its.tokens.list()).filter(({ name }) => name === 'ci');
    expect(named.map(({ revoked_at }) => revoked_at === null).sort()).toEqual([false, true]);
  });

  test('a token made elsewhere is taken once, and once more without a change', async () => {
    const token = `noetl_0123456789ab_${'a1'.repeat(32)}`;
    const given = { name: 'elsewhere', scopes: ['worker', 'read'], token };
    const [, first] = await its.tokens.create(given);
    const [, again] = await its.tokens.create({ ...given, scopes: ['read', 'worker'] });
    expect(again.created_at).toEqual(first.created_at);
    await expect(its.tokens.create({ ...given, scopes: ['admin'] })).rejects.toMatchObject({
      code: 'TOKEN_EXISTS',
    });
    await expect(its.tokens.create({ ...given, name: 'x', token: 'hunter2' })).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });
});

describe('the door', () => {
  let url: string;
  beforeAll(async () => {
    url = await its.start();
  });
  const guarded = (): string => `${url}/metrics`; // needs read
  const steering = (): string => `${url}/api/executions/no/cancel`; // needs run

  test('health is for everybody, the rest for tokens, in either header', async () => {
    const [token] = await its.tokens.create({ name: 'reader', scopes: ['read'] });
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
    const [token] = await its.tokens.create({ name: `steer ${String(scopes)}`, scopes });
    expect(await ask(steering(), bearer(token), 'POST')).toMatchObject({ status, body: { code } });
  });

  test('a token that has expired or was revoked is refused from then on, and told why', async () => {
    const [brief] = await its.tokens.create({ name: 'brief', scopes: ['read'], expiresInMs: 0 });
    expect(await ask(guarded(), bearer(brief))).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_EXPIRED' },
    });
    const [gone] = await its.tokens.create({ name: 'gone', scopes: ['read'] });
    expect((await ask(guarded(), bearer(gone))).status).toBe(200);
    await its.tokens.revoke('gone');
    expect(await ask(guarded(), bearer(gone))).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
  });

  test('its last use is kept', async () => {
    const [token, { id, last_used_at }] = await its.tokens.create({ name: 'used', scopes: ['read'] });
    expect(last_used_at).toBeNull();
    await ask(guarded(), bearer(token));
    const used = await until(
      async () => (await its.tokens.list()).find((one) => one.id === id)!.last_used_at,
    );
    expect(used).toBeInstanceOf(Date);
  });

  test('the official GUI logs in with a token, as it would with a session of its gateway', async () => {
    const url = await its.start();
    const [token] = await its.tokens.create({ name: 'gui', scopes: ['read'] });
    const [worker] = await its.tokens.create({ name: 'gui-worker', scopes: ['worker'] });
    const post = async (what: string, body: object): Promise<[number, unknown]> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/api/auth/${what}`, init);
      return [response.status, await response.json()];
    };
    const [runner] = await its.tokens.create({ name: 'gui-runner', scopes: ['run'] });
    const user = { display_name: 'gui', roles: ['read', 'viewer'] };
    const answered = (more: object): unknown => [200, expect.objectContaining(more)];
    expect(await post('validate', { session_token: token })).toEqual(answered({ valid: true, user }));
    for (const session_token of ['nonsense', worker])
      expect(await post('validate', { session_token })).toEqual(answered({ valid: false, user: null }));
    // The GUI shows its pages to this role only.
    const shown = { display_name: 'gui-runner', roles: ['run', 'read', 'admin'] };
    expect(await post('validate', { session_token: runner })).toEqual(answered({ valid: true, user: shown }));
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
});
