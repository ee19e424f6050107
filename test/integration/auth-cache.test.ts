/** Tokens and secrets that workers share through the facade: how long they stay, and who gets them. */
import { AuthCache } from '../../src/server/store';
import { CANARY, type Document, pg, useCredentialsFacade } from '../support/credentials-facade';
import { until } from '../support/until';

const its = useCredentialsFacade();
const { ask, withClient } = its;
afterAll(() => expect(its.facade.reported).toEqual([]));

const entry = (name: string, cache_type: 'secret' | 'token') => ({
  cache_key: name,
  credential_name: name,
  credential_type: 't',
  cache_type,
  data: {},
});

test('a token is shared until it expires, and what expired is removed', async () => {
  const token = {
    credential_name: 'entry',
    credential_type: 'oauth2',
    execution_id: '5',
    data: { token: CANARY },
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  };
  const path = '/api/auth_cache/abc';
  expect(await ask('GET', path, undefined, 'worker')).toMatchObject({ status: 404 });
  expect(await ask('PUT', path, token, 'worker')).toMatchObject({ status: 200 });
  expect(await ask('GET', path, undefined, 'worker')).toEqual({
    status: 200,
    body: { data: token.data, expires_at: token.expires_at },
  });
  const { items } = (await ask('GET', '/api/auth_cache')).body as { items: Document[] };
  expect(items.find((item) => item['cache_key'] === 'abc')).toMatchObject({
    cache_type: 'token',
    scope_type: 'execution',
    execution_id: '5',
    access_count: 2,
  });
  expect(await ask('DELETE', path, undefined, 'worker')).toMatchObject({ status: 200 });
  expect(await ask('GET', path, undefined, 'worker')).toMatchObject({ status: 404 });

  const cache = new AuthCache(its.facade.services.database, its.facade.services.keys!, 1000);
  await cache.sweep();
  const past = new Date(Date.now() - 60_000);
  await cache.put({ ...entry('p', 'token'), expires_at: past });
  expect(await cache.get('p')).toBeUndefined();
  expect(await cache.sweep()).toBe(1);
  // A use extends a secret's life, and never shortens it; a token keeps its own.
  const far = new Date(Date.now() + 3_600_000);
  const near = new Date(Date.now() + 500_000);
  await cache.put({ ...entry('s', 'secret'), expires_at: near });
  const longer = new AuthCache(its.facade.services.database, its.facade.services.keys!, 3_600_000);
  expect((await longer.get('s'))!.expires_at.getTime()).toBeGreaterThan(far.getTime() - 1000);
  expect((await cache.get('s'))!.expires_at.getTime()).toBeGreaterThan(far.getTime() - 1000);
});

test('how long a secret stays is set for the facade or by the request, and what nobody asks for any more goes', async () => {
  const { database, keys } = its.facade.services;
  await ask('POST', '/api/credentials', pg);
  const read = (more: string) =>
    ask('GET', `/api/credentials/pg_test?include_data=true${more}`, undefined, 'worker');
  const ttlOf = async (scope: string): Promise<number> => {
    const { items } = (await ask('GET', '/api/auth_cache')).body as { items: Document[] };
    const item = items.find((one) => one['credential_name'] === 'pg_test' && one['scope_type'] === scope)!;
    return Date.parse(item['expires_at'] as string) - Date.parse(item['accessed_at'] as string);
  };
  await read('&ttl_seconds=120');
  await read('&execution_id=8');
  expect(await ttlOf('global')).toBeCloseTo(120_000, -3);
  expect(await ttlOf('execution')).toBeCloseTo(3_600_000, -3);
  for (const wrong of ['0', '86401', 'x']) expect((await read(`&ttl_seconds=${wrong}`)).status).toBe(422);
  const brief = await its.another({
    keys,
    authCacheTtlMs: 60_000,
    authenticate: its.facade.services.authenticate,
  });
  await fetch(`${brief.url}/api/credentials/pg_test?include_data=true`, {
    headers: { authorization: 'Bearer worker' },
  });
  await brief.stop();
  expect(await ttlOf('global')).toBeCloseTo(60_000, -3);

  const cache = new AuthCache(database, keys!);
  const past = new Date(Date.now() - 60_000);
  await cache.put({ ...entry('old', 'token'), expires_at: past });
  const stop = cache.sweepOnAndOn((error) => expect(error).toBeUndefined());
  const count = async (): Promise<number> =>
    withClient(
      async (client) =>
        (await client.query(`SELECT 1 FROM noetl.auth_cache WHERE cache_key = 'old'`)).rowCount ?? 0,
    );
  await until(async () => (await count()) === 0);
  stop();
});

test('no secret is to be had through the cache, where its reading would not be on record', async () => {
  await ask('POST', '/api/credentials', pg);
  await ask('GET', '/api/credentials/pg_test?include_data=true&execution_id=9', undefined, 'worker');
  const { items } = (await ask('GET', '/api/auth_cache')).body as { items: Document[] };
  const { cache_key } = items.find((item) => item['execution_id'] === '9')!;
  const path = `/api/auth_cache/${encodeURIComponent(cache_key as string)}`;
  for (const [method, body] of [
    ['GET', undefined],
    ['DELETE', undefined],
    [
      'PUT',
      {
        credential_name: 'x',
        credential_type: 'x',
        data: {},
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      },
    ],
  ] as const)
    expect(await ask(method, path, body, 'worker')).toMatchObject({ status: 422 });
  const cache = new AuthCache(its.facade.services.database, its.facade.services.keys!);
  expect(await cache.get(cache_key as string, 'token')).toBeUndefined();
  expect((await cache.get(cache_key as string))!.data).toEqual(pg.data);
});
