import { CANARY, entryOf, useKeychain } from '../../../test/support/keychain';
import { call, context } from '../../../test/support/tool-call';
import { type Json, type JsonObject, secretHandle, type Secrets } from '../../../src/language/plan';
import { runHidden } from '../activity/activity';
import { keychainCheck } from './check';

const { service, keychain } = useKeychain();

describe('the check', () => {
  const checked = (
    entries: Record<string, { kind: string; config: JsonObject; uses?: string[]; optional?: true }>,
    ctx = context(),
  ) => {
    const secrets: Secrets = Object.fromEntries(
      Object.entries(entries).map(([name, { kind, config }]) => [
        `n.${name}`,
        { entry: entryOf(kind, config, { name }) },
      ]),
    );
    const list = Object.entries(entries).map(([name, { kind, uses, optional }], i) => ({
      handle: secretHandle(`n.${name}`),
      name,
      kind,
      at: [i + 4, 3],
      ...(uses && { uses }),
      ...(optional && { optional }),
    }));
    const task = call('keychain', { entries: list, file: 'p.yaml' }, { secrets });
    return runHidden(keychainCheck, task, { ...ctx, keychain: keychain() }, ctx.signal);
  };

  test('says of each entry where it came from and how long it holds, and nothing else', async () => {
    const outcome = await checked(
      {
        login: { kind: 'oauth2', config: { endpoint: service.url }, uses: ['access_token'] },
        api: { kind: 'bearer', config: { auth: 'api' } },
      },
      context({ api: { data: { token: CANARY } } }),
    );
    expect(outcome.error).toBeNull();
    const { nonce, entries } = outcome.result as { nonce: string; entries: Json };
    expect(nonce).toMatch(/^[0-9a-f]{24}$/);
    expect(entries).toEqual([
      {
        name: 'login',
        kind: 'oauth2',
        source: service.url.slice(7, -6),
        expires_at: '2023-11-14T23:13:20.000Z',
      },
      { name: 'api', kind: 'bearer', source: 'credential api', expires_at: null },
    ]);
    expect(JSON.stringify(outcome)).not.toContain(CANARY);
  });

  test('names the first that does not resolve, where it stands and what to do, and the others', async () => {
    const { error } = await checked({
      fine: { kind: 'static', config: { map: { a: 'b' } } },
      pg: { kind: 'credential', config: {} },
      env: { kind: 'secret_manager', config: { provider: 'environment', map: { t: 'no-such' } } },
    });
    expect(error).toMatchObject({
      kind: 'auth',
      code: 'KEYCHAIN_UNRESOLVED',
      entry: 'pg',
      entries: ['pg', 'env'],
    });
    expect(error!.message).toBe(
      "keychain entry 'pg' (credential): credential 'pg' was not found; add it to the test (p.yaml:5:3); also unresolved: 'env'",
    );
  });

  test('one that is optional may be unresolved: it says why, and nothing fails', async () => {
    const optional = true as const;
    const { error, result } = await checked({
      fine: { kind: 'static', config: { map: { a: 'b' } }, optional },
      pg: { kind: 'credential', config: {}, optional },
      field: { kind: 'static', config: { map: { user: 'u' } }, uses: ['pass'], optional },
    });
    expect(error).toBeNull();
    expect((result as { entries: Json }).entries).toMatchObject([
      { name: 'fine', source: expect.any(String) },
      { name: 'pg', source: null, unresolved: expect.stringContaining("credential 'pg' was not found") },
      { name: 'field', unresolved: expect.stringContaining("no field 'pass'") },
    ]);
  });

  test('a field that the playbook reads and the entry has not', async () => {
    const { error } = await checked({
      a: { kind: 'static', config: { map: { user: 'u' } }, uses: ['pass', 'user'] },
    });
    expect(error!.message).toBe(
      "keychain entry 'a' (static): it has no field 'pass', which the playbook reads; it has user (p.yaml:4:3)",
    );
  });

  test('a service that is only busy is asked again', async () => {
    service.answers = [() => ({ status: 503, body: '' }), ...service.answers];
    const { status } = await checked({ login: { kind: 'oauth2', config: { endpoint: service.url } } });
    expect({ status, asked: service.asked.length }).toEqual({ status: 'ok', asked: 2 });
  });
});
