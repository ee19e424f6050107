import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { CANARY, entryOf, useKeychain } from '../../../test/support/keychain';
import { call, context } from '../../../test/support/tool-call';
import {
  type Json,
  type JsonObject,
  secretHandle,
  type SecretEntry,
  type Secrets,
} from '../../../src/language/plan';
import { runTool } from '../activity/activity';
import { http as httpTool } from '../../kinds/http/run';

const { service, clock, keychain, used } = useKeychain();

describe('keeping', () => {
  const entry = entryOf('oauth2', { endpoint: '', data: { client_id: 'me' } });
  const tokens = (
    more: Partial<SecretEntry> = {},
    config: JsonObject = {},
  ): Promise<{ value: Json | undefined }> =>
    used({ ...entry, ...more, config: { ...entry.config, endpoint: service.url, ...config } }, 'token');

  test('a token is asked for once, by many tasks at the same time too, and again shortly before it expires', async () => {
    const both = await Promise.all([tokens(), tokens()]);
    expect(both.map(({ value }) => value)).toEqual([`${CANARY}-1`, `${CANARY}-1`]);
    clock.now += 3600_000 - 61_000;
    expect((await tokens()).value).toBe(`${CANARY}-1`);
    clock.now += 2_000;
    expect((await tokens()).value).toBe(`${CANARY}-2`);
    expect(service.asked).toHaveLength(2);
  });

  test('executions have their own, unless the scope is global; another entry is another', async () => {
    await tokens();
    expect((await tokens({ execution_id: '2' })).value).toBe(`${CANARY}-2`);
    expect((await tokens({}, { scope: 'global' })).value).toBe(`${CANARY}-3`);
    expect((await tokens({ execution_id: '2' }, { scope: 'global' })).value).toBe(`${CANARY}-3`);
    expect((await tokens({ name: 'other' })).value).toBe(`${CANARY}-4`);
  });

  test('one that may not be renewed is an error when its time is over', async () => {
    await tokens({}, { auto_renew: false });
    clock.now += 3600_001;
    const { outcome } = await used(
      { ...entry, config: { ...entry.config, endpoint: service.url, auto_renew: false } },
      'token',
    );
    expect(outcome.error).toMatchObject({ code: 'KEYCHAIN_EXPIRED', retryable: false });
    expect(service.asked).toHaveLength(1);
  });

  test('a stored credential is read again after five minutes', async () => {
    const kept = { data: { token: 'the-first-token' } };
    const ctx = context({ api: kept });
    const read = async () => (await used(entryOf('bearer', { auth: 'api' }), 'token', ctx)).value;
    expect(await read()).toBe('the-first-token');
    kept.data.token = 'the-next-token';
    clock.now += 299_000;
    expect(await read()).toBe('the-first-token');
    clock.now += 2_000;
    expect(await read()).toBe('the-next-token');
  });

  test('what failed is not kept', async () => {
    service.answers = [() => ({ status: 503, body: '' }), ...service.answers];
    expect((await tokens()).value).toBeUndefined();
    expect((await tokens()).value).toBe(`${CANARY}-2`);
  });

  test('an entry may need another', async () => {
    const inner: Secrets = {
      i: { entry: entryOf('static', { map: { secret: CANARY } }, { name: 'inner' }) },
    };
    const outer = entryOf('oauth2', {
      endpoint: service.url,
      data: { client_secret: secretHandle('i', 'secret') },
    });
    const { told } = await used(outer, 'token', context(), inner);
    expect(new URLSearchParams(service.asked[0]!.body).get('client_secret')).toBe(CANARY);
    expect(told).not.toContain(CANARY);
  });

  test('a field that an entry has not is an error that says which there are', async () => {
    const { outcome } = await used(entryOf('static', { map: { a: 1 } }), 'b');
    expect(outcome.error).toMatchObject({ code: 'SECRET_FIELD' });
    expect(outcome.error!.message).toContain("has no field 'b'; it has a");
  });
});

describe('a token that is refused before its time', () => {
  /** An API that takes the newest token only. */
  const api = (taken: () => string): Promise<{ at: string; calls: string[]; stop(): void }> => {
    const calls: string[] = [];
    const one = http.createServer((request, response) => {
      calls.push(String(request.headers.authorization));
      response.writeHead(request.headers.authorization === `Bearer ${taken()}` ? 200 : 401).end('{}');
    });
    return new Promise((resolve) =>
      one.listen(0, '127.0.0.1', () =>
        resolve({
          at: `http://127.0.0.1:${(one.address() as AddressInfo).port}/`,
          calls,
          stop: () => (one.closeAllConnections(), one.close()),
        }),
      ),
    );
  };
  const ask = (at: string, config: JsonObject = {}) =>
    runTool(
      httpTool,
      call(
        'http',
        { url: at, auth: secretHandle('e') },
        { secrets: { e: { entry: entryOf('oauth2', { endpoint: service.url, ...config }) } } },
      ),
      { ...context(), keychain: keychain() },
    );

  test('is asked for again, once', async () => {
    let valid = `${CANARY}-1`;
    const { at, calls, stop } = await api(() => valid);
    expect((await ask(at)).status).toBe('ok');
    valid = `${CANARY}-2`;
    clock.now += 1000;
    expect((await ask(at)).status).toBe('ok');
    expect(calls).toEqual([1, 1, 2].map((n) => `Bearer ${CANARY}-${n}`));
    // Fresh, and refused all the same: that is an answer.
    valid = 'none';
    clock.now += 1000;
    const refused = await ask(at);
    expect(refused.error).toMatchObject({ kind: 'auth', status: 401 });
    expect(calls).toHaveLength(5);
    stop();
  });

  test('is not, where the entry may not be renewed', async () => {
    const { at, calls, stop } = await api(() => 'none');
    await ask(at, { auto_renew: 'false' });
    clock.now += 1000;
    expect((await ask(at, { auto_renew: 'false' })).error).toMatchObject({ status: 401 });
    expect(calls).toHaveLength(2);
    stop();
  });
});
