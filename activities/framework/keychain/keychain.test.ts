import { createVerify, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { call, context, type TestContext } from '../../../test/support/tool-call';
import { type Json, type JsonObject, secretHandle, type SecretEntry, type Secrets } from '../../../src/plan';
import { runHidden, runTool } from '../activity/activity';
import { type Credential } from '../credentials';
import { http as httpTool } from '../../kinds/http/run';
import { closeAgents } from '../http/agents';
import { succeeded } from '../tool/outcome';
import { type Tool } from '../tool/tool';
import { keychainCheck } from './check';
import { Keychain, MemoryCache } from '.';

const CANARY = 'canary-of-the-keychain-77';

/** What the token endpoint was asked, and how it answers. */
let asked: { headers: http.IncomingHttpHeaders; method: string; body: string }[] = [];
let answers: (() => { status: number; body: object | string })[] = [];
let server: http.Server;
let url: string;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      asked.push({ headers: request.headers, method: request.method!, body });
      const { status, body: said } = (answers.length > 1 ? answers.shift()! : answers[0]!)();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await closeAgents();
});
beforeEach(() => {
  asked = [];
  answers = [
    () => ({
      status: 200,
      body: { access_token: `${CANARY}-${asked.length}`, expires_in: 3600, token_type: 'Bearer' },
    }),
  ];
});

/** Answers with what it was given, in the open: what leaves is what the redactor let through. */
const seen: JsonObject[] = [];
const tell: Tool = {
  kind: 'fake',
  run: (given) => (seen.push(given.config), Promise.resolve(succeeded({ given: given.config }))),
};
beforeEach(() => void seen.splice(0));

let now: number;
let keychain: Keychain;
beforeEach(() => {
  now = 1_700_000_000_000;
  keychain = new Keychain(new MemoryCache(() => now), () => now);
});

const entryOf = (kind: string, config: JsonObject, more: Partial<SecretEntry> = {}): SecretEntry => ({
  name: 'entry',
  kind,
  config,
  execution_id: '1',
  ...more,
});

/** What a tool gets that is handed the whole entry, or a field of it; and what is told of it. */
async function used(entry: SecretEntry, field?: string, ctx: TestContext = context(), more: Secrets = {}) {
  const secrets: Secrets = { ...more, e: { entry } };
  const task = call('fake', { v: secretHandle('e', field) }, { secrets });
  const outcome = await runHidden(tell, task, { ...ctx, keychain }, ctx.signal);
  return { value: seen.at(-1)?.['v'], outcome, told: JSON.stringify([outcome, ctx.lines, ctx.beats]) };
}

describe('kinds', () => {
  const stored: Record<string, Omit<Credential, 'name'>> = {
    pg: { type: 'postgres', data: { db_host: 'db.example.com', db_user: 'postgres', db_password: CANARY } },
    api: { type: 'bearer', data: { token: CANARY } },
    client: { data: { client_id: 'me', client_secret: CANARY } },
  };

  test.each<[string, JsonObject, unknown]>([
    [
      'credential',
      { credential: 'pg' },
      { type: 'postgres', db_host: 'db.example.com', db_user: 'postgres', db_password: CANARY },
    ],
    ['credential_ref', { credential_ref: 'api' }, { type: 'bearer', token: CANARY }],
    ['postgres_credential', { credential: 'api' }, { type: 'bearer', token: CANARY }],
    ['bearer', { token: CANARY }, { type: 'bearer', token: CANARY, access_token: CANARY, value: CANARY }],
    ['bearer', { auth: 'api' }, { type: 'bearer', token: CANARY, access_token: CANARY, value: CANARY }],
    ['static', { map: { a: CANARY, n: 1 } }, { a: CANARY, n: 1 }],
    ['static', { a: CANARY, scope: 'global' }, { a: CANARY }],
  ])('%s %j', async (kind, config, value) => {
    const found = await used(entryOf(kind, config), undefined, context(stored));
    expect(found.value).toEqual(value);
    expect(found.told).not.toContain(CANARY);
    expect(found.told).toContain('[redacted]');
  });

  test('what a stored credential says in the open is left readable', async () => {
    const { told } = await used(entryOf('credential', { credential: 'pg' }), undefined, context(stored));
    expect(told).toContain('db.example.com');
    expect(told).toContain('postgres');
  });

  test('secret_manager: a field is a secret of its own, of the environment and of files', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-keychain-'));
    fs.writeFileSync(path.join(folder, 'pin'), `${CANARY}-pin\n`);
    process.env['NOETL_SECRET_APP_TOKEN'] = `{"user": "u", "password": "${CANARY}"}`;
    process.env['NOETL_SECRETS_DIR'] = folder;
    try {
      const env = {
        provider: 'environment',
        map: { all: 'app/token', password: { secret: 'app/token', field: 'password' } },
      };
      expect((await used(entryOf('secret_manager', env))).value).toEqual({
        all: process.env['NOETL_SECRET_APP_TOKEN'],
        password: CANARY,
      });
      expect(
        (await used(entryOf('secret_manager', { provider: 'file', map: { pin: 'pin' } }))).value,
      ).toEqual({
        pin: `${CANARY}-pin`,
      });
      // Without a map the entry's own name, in the environment; its fields are the entry's.
      const { value, told } = await used(entryOf('secret_manager', {}, { name: 'app/token' }));
      expect(value).toMatchObject({
        user: 'u',
        password: CANARY,
        value: expect.stringContaining(CANARY) as string,
      });
      expect(told).not.toContain(CANARY);
    } finally {
      delete process.env['NOETL_SECRET_APP_TOKEN'];
      delete process.env['NOETL_SECRETS_DIR'];
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('oauth2 asks with a form, the fields of a credential in it, and the token is a bearer', async () => {
    const entry = entryOf('oauth2', {
      endpoint: url,
      auth: 'client',
      scope: ['a', 'b'],
      headers: { 'X-Tenant': 't' },
    });
    const { value, told } = await used(entry, undefined, context(stored));
    expect(asked[0]).toMatchObject({ method: 'POST', headers: { 'x-tenant': 't' } });
    expect(Object.fromEntries(new URLSearchParams(asked[0]!.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'me',
      client_secret: CANARY,
      scope: 'a b',
    });
    expect(value).toMatchObject({
      type: 'bearer',
      token: `${CANARY}-1`,
      access_token: `${CANARY}-1`,
      expires_in: 3600,
    });
    expect(told).not.toContain(CANARY);
  });

  test('oauth2 asks with JSON where the headers say so', async () => {
    const headers = { 'Content-Type': 'application/json' };
    await used(entryOf('oauth2', { endpoint: url, headers, data: { client_id: 'x', audience: 'y' } }));
    expect(JSON.parse(asked[0]!.body)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'x',
      audience: 'y',
    });
  });

  test.each<[string, () => { status: number; body: object | string }, object]>([
    [
      'refused',
      () => ({ status: 401, body: { error: 'invalid_client', error_description: `no ${CANARY}` } }),
      { kind: 'auth', code: 'KEYCHAIN_TOKEN', retryable: false },
    ],
    [
      'busy',
      () => ({ status: 503, body: 'no' }),
      { kind: 'server_error', code: 'KEYCHAIN_TOKEN', retryable: true },
    ],
    [
      'no token',
      () => ({ status: 200, body: { hello: 1 } }),
      { kind: 'server_error', code: 'KEYCHAIN_TOKEN' },
    ],
    ['no JSON', () => ({ status: 200, body: '<html>' }), { code: 'KEYCHAIN_TOKEN' }],
  ])('oauth2, %s: an error of the task that names the entry and not the secret', async (_, answer, error) => {
    answers = [answer];
    const entry = entryOf('oauth2', { endpoint: url, data: { client_id: 'me', client_secret: CANARY } });
    const { outcome, told } = await used(entry);
    expect(outcome.error).toMatchObject({ entry: 'entry', ...error });
    expect(outcome.error!.message).toMatch(/^keychain entry 'entry' \(oauth2\): 127\.0\.0\.1:\d+ /);
    expect(told).not.toContain(CANARY);
  });

  test('oauth2 of a host that is not there is worth another try', async () => {
    const { outcome } = await used(entryOf('oauth2', { endpoint: 'http://127.0.0.1:1/token' }));
    expect(outcome.error).toMatchObject({
      kind: 'connection',
      code: 'KEYCHAIN_UNREACHABLE',
      retryable: true,
    });
  });

  test('a service account of Google signs for its token; an id token is for an audience', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const account = { client_email: 'a@p.iam', private_key: privateKey, token_uri: url };
    const ctx = context({ gcp: { data: { service_account_json: JSON.stringify(account) } } });
    const claims = (): JsonObject => {
      const assertion = new URLSearchParams(asked.at(-1)!.body).get('assertion')!;
      const [head, body, signature] = assertion.split('.');
      const verify = createVerify('RSA-SHA256').update(`${head}.${body}`);
      expect(verify.verify(publicKey, signature!, 'base64url')).toBe(true);
      return JSON.parse(Buffer.from(body!, 'base64url').toString()) as JsonObject;
    };
    const first = await used(entryOf('google_service_account', { credential: 'gcp' }), undefined, ctx);
    expect(first.value).toMatchObject({ client_email: 'a@p.iam', access_token: `${CANARY}-1` });
    expect(claims()).toMatchObject({
      iss: 'a@p.iam',
      aud: url,
      scope: expect.stringContaining('cloud-platform') as string,
    });
    expect(first.told).not.toContain(privateKey.slice(60, 100));
    answers = [() => ({ status: 200, body: { id_token: `${CANARY}-id` } })];
    const second = await used(
      entryOf('google_id_token', { credential: 'gcp', audience: 'https://run.app' }),
      undefined,
      ctx,
    );
    expect(second.value).toMatchObject({ id_token: `${CANARY}-id`, token: `${CANARY}-id` });
    expect(claims()).toMatchObject({ target_audience: 'https://run.app' });
  });

  test('an OAuth client of Google refreshes', async () => {
    const data = {
      client_id: 'c',
      client_secret: 'the-client-secret',
      refresh_token: 'the-refresh-token',
      token_uri: url,
    };
    const { value } = await used(
      entryOf('google_oauth', { credential: 'g' }),
      'access_token',
      context({ g: { data } }),
    );
    expect(value).toBe(`${CANARY}-1`);
    expect(Object.fromEntries(new URLSearchParams(asked[0]!.body))).toMatchObject({
      grant_type: 'refresh_token',
    });
  });
});

describe('keeping', () => {
  const entry = entryOf('oauth2', { endpoint: '', data: { client_id: 'me' } });
  const tokens = (
    more: Partial<SecretEntry> = {},
    config: JsonObject = {},
  ): Promise<{ value: Json | undefined }> =>
    used({ ...entry, ...more, config: { ...entry.config, endpoint: url, ...config } }, 'token');

  test('a token is asked for once, by many tasks at the same time too, and again shortly before it expires', async () => {
    const both = await Promise.all([tokens(), tokens()]);
    expect(both.map(({ value }) => value)).toEqual([`${CANARY}-1`, `${CANARY}-1`]);
    now += 3600_000 - 61_000;
    expect((await tokens()).value).toBe(`${CANARY}-1`);
    now += 2_000;
    expect((await tokens()).value).toBe(`${CANARY}-2`);
    expect(asked).toHaveLength(2);
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
    now += 3600_001;
    const { outcome } = await used(
      { ...entry, config: { ...entry.config, endpoint: url, auto_renew: false } },
      'token',
    );
    expect(outcome.error).toMatchObject({ code: 'KEYCHAIN_EXPIRED', retryable: false });
    expect(asked).toHaveLength(1);
  });

  test('a stored credential is read again after five minutes', async () => {
    const kept = { data: { token: 'the-first-token' } };
    const ctx = context({ api: kept });
    const read = async () => (await used(entryOf('bearer', { auth: 'api' }), 'token', ctx)).value;
    expect(await read()).toBe('the-first-token');
    kept.data.token = 'the-next-token';
    now += 299_000;
    expect(await read()).toBe('the-first-token');
    now += 2_000;
    expect(await read()).toBe('the-next-token');
  });

  test('what failed is not kept', async () => {
    answers = [() => ({ status: 503, body: '' }), ...answers];
    expect((await tokens()).value).toBeUndefined();
    expect((await tokens()).value).toBe(`${CANARY}-2`);
  });

  test('an entry may need another', async () => {
    const inner: Secrets = {
      i: { entry: entryOf('static', { map: { secret: CANARY } }, { name: 'inner' }) },
    };
    const outer = entryOf('oauth2', { endpoint: url, data: { client_secret: secretHandle('i', 'secret') } });
    const { told } = await used(outer, 'token', context(), inner);
    expect(new URLSearchParams(asked[0]!.body).get('client_secret')).toBe(CANARY);
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
        { secrets: { e: { entry: entryOf('oauth2', { endpoint: url, ...config }) } } },
      ),
      { ...context(), keychain },
    );

  test('is asked for again, once', async () => {
    let valid = `${CANARY}-1`;
    const { at, calls, stop } = await api(() => valid);
    expect((await ask(at)).status).toBe('ok');
    valid = `${CANARY}-2`;
    now += 1000;
    expect((await ask(at)).status).toBe('ok');
    expect(calls).toEqual([1, 1, 2].map((n) => `Bearer ${CANARY}-${n}`));
    // Fresh, and refused all the same: that is an answer.
    valid = 'none';
    now += 1000;
    const refused = await ask(at);
    expect(refused.error).toMatchObject({ kind: 'auth', status: 401 });
    expect(calls).toHaveLength(5);
    stop();
  });

  test('is not, where the entry may not be renewed', async () => {
    const { at, calls, stop } = await api(() => 'none');
    await ask(at, { auto_renew: 'false' });
    now += 1000;
    expect((await ask(at, { auto_renew: 'false' })).error).toMatchObject({ status: 401 });
    expect(calls).toHaveLength(2);
    stop();
  });
});

describe('the check', () => {
  const checked = (
    entries: Record<string, { kind: string; config: JsonObject; uses?: string[] }>,
    ctx = context(),
  ) => {
    const secrets: Secrets = Object.fromEntries(
      Object.entries(entries).map(([name, { kind, config }]) => [
        `n.${name}`,
        { entry: entryOf(kind, config, { name }) },
      ]),
    );
    const list = Object.entries(entries).map(([name, { kind, uses }], i) => ({
      handle: secretHandle(`n.${name}`),
      name,
      kind,
      at: [i + 4, 3],
      ...(uses && { uses }),
    }));
    const task = call('keychain', { entries: list, file: 'p.yaml' }, { secrets });
    return runHidden(keychainCheck, task, { ...ctx, keychain }, ctx.signal);
  };

  test('says of each entry where it came from and how long it holds, and nothing else', async () => {
    const outcome = await checked(
      {
        login: { kind: 'oauth2', config: { endpoint: url }, uses: ['access_token'] },
        api: { kind: 'bearer', config: { auth: 'api' } },
      },
      context({ api: { data: { token: CANARY } } }),
    );
    expect(outcome.error).toBeNull();
    const { nonce, entries } = outcome.result as { nonce: string; entries: Json };
    expect(nonce).toMatch(/^[0-9a-f]{24}$/);
    expect(entries).toEqual([
      { name: 'login', kind: 'oauth2', source: url.slice(7, -6), expires_at: '2023-11-14T23:13:20.000Z' },
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

  test('a field that the playbook reads and the entry has not', async () => {
    const { error } = await checked({
      a: { kind: 'static', config: { map: { user: 'u' } }, uses: ['pass', 'user'] },
    });
    expect(error!.message).toBe(
      "keychain entry 'a' (static): it has no field 'pass', which the playbook reads; it has user (p.yaml:4:3)",
    );
  });

  test('a service that is only busy is asked again', async () => {
    answers = [() => ({ status: 503, body: '' }), ...answers];
    const { status } = await checked({ login: { kind: 'oauth2', config: { endpoint: url } } });
    expect({ status, asked: asked.length }).toEqual({ status: 'ok', asked: 2 });
  });
});
