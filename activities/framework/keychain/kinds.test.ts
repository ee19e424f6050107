import { createVerify, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Answer, CANARY, entryOf, useKeychain } from '../../../test/support/keychain';
import { context } from '../../../test/support/tool-call';
import { type JsonObject } from '../../../src/language/plan';
import { type Credential } from '../credentials';

const { service, used } = useKeychain();

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
      endpoint: service.url,
      auth: 'client',
      scope: ['a', 'b'],
      headers: { 'X-Tenant': 't' },
    });
    const { value, told } = await used(entry, undefined, context(stored));
    expect(service.asked[0]).toMatchObject({ method: 'POST', headers: { 'x-tenant': 't' } });
    expect(Object.fromEntries(new URLSearchParams(service.asked[0]!.body))).toEqual({
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
    await used(
      entryOf('oauth2', { endpoint: service.url, headers, data: { client_id: 'x', audience: 'y' } }),
    );
    expect(JSON.parse(service.asked[0]!.body)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'x',
      audience: 'y',
    });
  });

  test.each<[string, () => Answer, object]>([
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
    service.answers = [answer];
    const entry = entryOf('oauth2', {
      endpoint: service.url,
      data: { client_id: 'me', client_secret: CANARY },
    });
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
    const account = { client_email: 'a@p.iam', private_key: privateKey, token_uri: service.url };
    const ctx = context({ gcp: { data: { service_account_json: JSON.stringify(account) } } });
    const claims = (): JsonObject => {
      const assertion = new URLSearchParams(service.asked.at(-1)!.body).get('assertion')!;
      const [head, body, signature] = assertion.split('.');
      const verify = createVerify('RSA-SHA256').update(`${head}.${body}`);
      expect(verify.verify(publicKey, signature!, 'base64url')).toBe(true);
      return JSON.parse(Buffer.from(body!, 'base64url').toString()) as JsonObject;
    };
    const first = await used(entryOf('google_service_account', { credential: 'gcp' }), undefined, ctx);
    expect(first.value).toMatchObject({ client_email: 'a@p.iam', access_token: `${CANARY}-1` });
    expect(claims()).toMatchObject({
      iss: 'a@p.iam',
      aud: service.url,
      scope: expect.stringContaining('cloud-platform') as string,
    });
    expect(first.told).not.toContain(privateKey.slice(60, 100));
    service.answers = [() => ({ status: 200, body: { id_token: `${CANARY}-id` } })];
    const second = await used(
      entryOf('google_id_token', { credential: 'gcp', audience: 'https://run.app' }),
      undefined,
      ctx,
    );
    expect(second.value).toMatchObject({ id_token: `${CANARY}-id`, token: `${CANARY}-id` });
    expect(claims()).toMatchObject({ target_audience: 'https://run.app' });
  });

  test('a bearer is asked for with whatever credential there is', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const client = { client_id: 'me', client_secret: 'the-client-secret' };
    const credentials = context({
      account: { data: { client_email: 'a@p.iam', private_key: privateKey, token_uri: service.url } },
      client: { type: 'oauth2', data: { ...client, token_url: service.url } },
      user: { data: { ...client, refresh_token: 'the-refresh-token', token_uri: service.url } },
      pg: { type: 'postgres', data: { db_password: CANARY } },
    });
    const grants = [];
    for (const auth of ['account', 'client', 'user']) {
      const { value, told } = await used(entryOf('bearer', { auth }), undefined, credentials);
      const token = (value as JsonObject)['token'];
      expect(value).toEqual({ type: 'bearer', token, access_token: token, value: token });
      expect(token).toMatch(new RegExp(`^${CANARY}-`));
      expect(told).not.toContain(CANARY);
      grants.push(new URLSearchParams(service.asked.at(-1)!.body).get('grant_type'));
    }
    expect(grants).toEqual([
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'client_credentials',
      'refresh_token',
    ]);
    const { outcome } = await used(entryOf('bearer', { auth: 'pg' }), undefined, credentials);
    expect(outcome.error).toMatchObject({
      code: 'KEYCHAIN_ENTRY',
      message: expect.stringContaining("the credential 'pg' has no token") as string,
    });
  });

  test('an OAuth client of Google refreshes', async () => {
    const data = {
      client_id: 'c',
      client_secret: 'the-client-secret',
      refresh_token: 'the-refresh-token',
      token_uri: service.url,
    };
    const { value } = await used(
      entryOf('google_oauth', { credential: 'g' }),
      'access_token',
      context({ g: { data } }),
    );
    expect(value).toBe(`${CANARY}-1`);
    expect(Object.fromEntries(new URLSearchParams(service.asked[0]!.body))).toMatchObject({
      grant_type: 'refresh_token',
    });
  });
});
