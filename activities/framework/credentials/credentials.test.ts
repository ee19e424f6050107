import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { call, context } from '../../../test/support/tool-call';
import { type JsonObject } from '../../../src/language/plan';
import { ToolError } from '../tool/outcome';
import { configOf } from '../../kinds/postgres/login';
import { resolveAuth } from './auth';
import { credentialVariable, defaultCredentials, redactor, secretsOf } from './index';

const here = { execution_id: '1' };
let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-credentials-'));
  fs.writeFileSync(
    path.join(folder, 'all.json'),
    JSON.stringify({ one: { type: 'bearer', data: { token: 'from-file' } }, 'pg-k8s': { db_host: 'h' } }),
  );
  fs.writeFileSync(
    path.join(folder, 'two.json'),
    JSON.stringify({ name: 'two', type: 'postgres', data: { db_host: 'folder' } }),
  );
  fs.writeFileSync(path.join(folder, 'broken.json'), '{"token": "canary-broken"');
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const resolver = (env: NodeJS.ProcessEnv = {}): ReturnType<typeof defaultCredentials> =>
  defaultCredentials({
    NOETL_CREDENTIALS_FILE: path.join(folder, 'all.json'),
    NOETL_CREDENTIALS_DIR: folder,
    ...env,
  });

test('environment, then file, then folder', async () => {
  expect(credentialVariable('pg-k8s.1')).toBe('NOETL_CREDENTIAL_PG_K8S_1');
  const env = { NOETL_CREDENTIAL_ONE: '{"type": "bearer", "data": {"token": "from-env"}}' };
  expect(await resolver(env).resolve('one', here)).toEqual({
    name: 'one',
    type: 'bearer',
    data: { token: 'from-env' },
  });
  expect(await resolver().resolve('one', here)).toMatchObject({ data: { token: 'from-file' } });
  expect(await resolver().resolve('pg-k8s', here)).toEqual({ name: 'pg-k8s', data: { db_host: 'h' } });
  expect(await resolver().resolve('two', here)).toEqual({
    name: 'two',
    type: 'postgres',
    data: { db_host: 'folder' },
  });
  expect(await resolver({ NOETL_CREDENTIAL_PG: 'postgres://u:p@h/d' }).resolve('pg', here)).toEqual({
    name: 'pg',
    type: 'postgres',
    data: { dsn: 'postgres://u:p@h/d' },
  });
  expect(
    await resolver({ NOETL_CREDENTIAL_K: '{"type": "api_key", "value": "v"}' }).resolve('k', here),
  ).toEqual({ name: 'k', type: 'api_key', data: { value: 'v' } });
});

test('one that is nowhere is named, with the places where it could be', async () => {
  const error = await resolver()
    .resolve('gone', here)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  expect((error as ToolError).outcome.error).toMatchObject({ kind: 'auth', code: 'CREDENTIAL_NOT_FOUND' });
  expect((error as ToolError).message).toContain(
    "credential 'gone' was not found; add it to the environment variable NOETL_CREDENTIAL_GONE",
  );
  expect((error as ToolError).message).toContain(path.join(folder, 'gone.json'));
});

test('a broken one is refused without showing it; a name is no path', async () => {
  await expect(resolver().resolve('broken', here)).rejects.toThrow(
    /broken\.json is invalid: the file is not valid JSON/,
  );
  const message = await resolver({ NOETL_CREDENTIAL_X: 'canary {' })
    .resolve('x', here)
    .catch((error: Error) => error.message);
  expect(message).toContain('NOETL_CREDENTIAL_X');
  expect(message).not.toContain('canary');
  await expect(resolver().resolve(`../${path.basename(folder)}/two`, here)).rejects.toThrow('was not found');
});

test.each<[string, JsonObject | string | null, unknown]>([
  ['a name', 'stored', { name: 'stored', type: 'bearer', data: { token: 't' } }],
  ['nothing', null, undefined],
  ['an empty mapping', {}, undefined],
  [
    'inline',
    { type: 'Basic', username: 'u', password: 'p' },
    { name: 'inline', type: 'basic', data: { username: 'u', password: 'p' } },
  ],
  [
    'inline with data',
    { type: 'bearer', data: { token: 'x' } },
    { name: 'inline', type: 'bearer', data: { token: 'x' } },
  ],
  [
    'a reference',
    { type: 'bearer', credential: 'stored' },
    { name: 'stored', type: 'bearer', data: { token: 't' } },
  ],
  [
    'an alias',
    { api: { type: 'bearer', credential: 'stored' } },
    { name: 'stored', type: 'bearer', data: { token: 't' } },
  ],
])('auth as %s', async (_name, auth, expected) => {
  const { credentials } = context({ stored: { type: 'bearer', data: { token: 't' } } });
  expect(await resolveAuth(call('http', { auth }), credentials)).toEqual(expected);
});

/** TLS where the server speaks it. */
const PREFERRED = { ssl: false, stream: expect.any(Function) as unknown };

test.each<[JsonObject, object]>([
  [
    { db_host: 'h', db_port: '5433', db_user: 'u', db_password: 'p', db_name: 'd' },
    { host: 'h', port: 5433, user: 'u', password: 'p', database: 'd', ...PREFERRED },
  ],
  [
    { host: 'h', user: 'u', password: 'p', dbname: 'd', sslmode: 'disable' },
    { host: 'h', port: 5432, user: 'u', password: 'p', database: 'd', ssl: false },
  ],
  [
    { host: 'h', user: 'u', password: 'p', dbname: 'd', sslmode: 'require' },
    { host: 'h', port: 5432, user: 'u', password: 'p', database: 'd', ssl: { rejectUnauthorized: false } },
  ],
  [{ url: 'postgres://u:p@h/d' }, { connectionString: 'postgres://u:p@h/d', ...PREFERRED }],
])('postgres credential %j', (data, expected) => {
  expect(configOf({ name: 'x', data })).toEqual(expected);
});

test('a secret is what a secret key holds, 8 characters and more, and not also used in the open', () => {
  const data = {
    db_user: 'postgres',
    db_password: 'postgres',
    token: 'short',
    nested: { client_secret: 'a-client-secret' },
    host: 'db.example.com',
    dsn: 'postgres://u:url-password@h/d',
  };
  expect(secretsOf(data).sort()).toEqual([
    'a-client-secret',
    'postgres://u:url-password@h/d',
    'url-password',
  ]);
});

test('every spelling of a secret in a URL is redacted', () => {
  const hide = redactor();
  const secret = 'pa/ss+word "(é)!';
  hide.add([secret]);
  const spellings = [
    'pa%2Fss%2Bword%20%22(%C3%A9)!', // encodeURIComponent
    'pa%2fss%2bword%20%22(%c3%a9)!',
    'pa/ss%2Bword%20%22%28%C3%A9%29%21', // Jinja's urlencode, Python's quote
    'pa%2Fss%2Bword%20%22%28%C3%A9%29%21', // quote(safe='')
    'pa%2Fss%2Bword+%22%28%C3%A9%29%21', // forms
    'pa/ss+word%20%22(%C3%A9)!', // encodeURI
  ];
  for (const spelling of spellings)
    expect(hide.text(`http://x/?k=${spelling}&n=1`)).toBe('http://x/?k=[redacted]&n=1');
});

test('every form of a secret is redacted', () => {
  const hide = redactor();
  const untouched = { a: 1 };
  expect(hide.json(untouched)).toBe(untouched);
  const secret = 'pa"ss word&1';
  hide.add([secret]);
  const forms = [
    secret,
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
    JSON.stringify(secret),
  ];
  expect(hide.json({ forms, n: 1, [secret]: null })).toEqual({
    forms: ['[redacted]', '[redacted]', '[redacted]', '"[redacted]"'],
    n: 1,
    '[redacted]': null,
  });
});

test('a mapping with a secret in it is JSON before it is encoded', () => {
  const hide = redactor();
  const secret = 'pa"ss wörd\n-----1';
  hide.add([secret]);
  const ascii = '{"a": "x", "k": "pa\\"ss w\\u00f6rd\\n-----1"}';
  for (const json of [JSON.stringify({ a: 'x', k: secret }), JSON.stringify({ k: secret }), ascii]) {
    const bytes = Buffer.from(json);
    const encodings = [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(json),
    ];
    for (const encoded of encodings) {
      const text = hide.text(encoded);
      expect(text).toContain('[redacted]');
      // What is left of it is what stands around the secret.
      expect(text.replace('[redacted]', '').length).toBeLessThan(encoded.length - Buffer.byteLength(secret));
    }
  }
});
