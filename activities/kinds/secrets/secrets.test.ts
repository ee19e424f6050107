/** Local providers, fields and answers; test/integration/secrets.test.ts meets the providers elsewhere. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Secrets } from '../../../src/language/plan';
import { call, context, run } from '../../../test/support/tool-call';
import { runTool } from '../../framework/activity/activity';
import { secrets as tool } from './run';
import { shell } from '../shell/run';

const VALUE = 'canary-7f3a-value';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-secrets-'));
const before = { ...process.env };
beforeAll(() => {
  fs.writeFileSync(path.join(folder, 'api_key'), `${VALUE}\n`);
  process.env['NOETL_SECRETS_DIR'] = folder;
  process.env['NOETL_SECRET_API_KEY'] = VALUE;
});
afterAll(() => {
  process.env = before;
  fs.rmSync(folder, { recursive: true, force: true });
});
const stored = () => context({ pg: { type: 'postgres', data: { user: 'u', password: VALUE } } });

test.each([
  ['environment', { provider: 'environment', secret: 'api-key' }],
  ['file', { provider: 'file', secret: 'api_key' }],
  ['credential', { secret: 'pg', field: 'password' }],
])('%s: the answer is a handle, and a task that is given it gets the value', async (_name, config) => {
  const ctx = stored();
  const outcome = await run(tool, config as JsonObject, {}, ctx);
  expect(outcome.error).toBeNull();
  expect(JSON.stringify(outcome)).not.toContain(VALUE);
  const { value } = outcome.result as { value: JsonObject };
  const secrets = outcome.meta['secrets'] as unknown as Secrets;
  expect(Object.keys(secrets)).toEqual([value['$secret']]);
  const hidden: string[] = [];
  const task = call('shell', { cmds: 'echo "$TOKEN"', env: { TOKEN: value } }, { secrets });
  const used = await runTool(shell, task, ctx, (values) => hidden.push(...values));
  expect(used.result).toMatchObject({ stdout: `${VALUE}\n` });
  expect(hidden).toEqual([VALUE]);
});

test('file: what a variable of the worker names is for the worker, by whichever link', async () => {
  const ask = (secret: string): Promise<unknown> =>
    run(tool, { provider: 'file', secret }).then(({ error }) => error);
  fs.mkdirSync(path.join(folder, 'mounted'));
  fs.writeFileSync(path.join(folder, 'mounted', 'key'), 'the key of the installation');
  fs.symlinkSync(path.join(folder, 'mounted', 'key'), path.join(folder, 'key'));
  expect(await ask('key')).toBeNull();
  for (const named of [path.join(folder, 'key'), path.join(folder, 'mounted', '..', 'mounted', 'key')]) {
    process.env['NOETL_SECRETS_KEY_FILE'] = named;
    expect(await ask('key')).toMatchObject({ code: 'SECRET_DENIED' });
    expect(await ask('api_key')).toBeNull();
  }
  delete process.env['NOETL_SECRETS_KEY_FILE'];
});

test('a mapping has a handle for each of its fields', async () => {
  const { result } = await run(tool, { secret: 'pg' }, {}, stored());
  const { value, fields } = result as { value: JsonObject; fields: JsonObject };
  expect(fields).toEqual({ user: { ...value, field: 'user' }, password: { ...value, field: 'password' } });
});

test('two look-ups give two ids, which nobody can guess', async () => {
  const ids = await Promise.all(
    [1, 2].map(async () => {
      const { result } = await run(tool, { provider: 'env', secret: 'api_key' });
      return ((result as { value: JsonObject }).value['$secret'] as string) ?? '';
    }),
  );
  expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(ids[0]).not.toBe(ids[1]);
});

test.each([
  [
    { provider: 'environment', secret: 'none' },
    'not_found',
    'SECRET_NOT_FOUND',
    'the worker has no variable NOETL_SECRET_NONE',
  ],
  // Credentials and cloud keys of the worker are no secrets of playbooks.
  [{ provider: 'environment', secret: '../PATH' }, 'not_found', 'SECRET_NOT_FOUND', 'NOETL_SECRET____PATH'],
  [
    { provider: 'file', secret: '../etc/passwd' },
    'not_found',
    'SECRET_NOT_FOUND',
    'must be named by a file name',
  ],
  [{ provider: 'file', secret: 'none' }, 'not_found', 'SECRET_NOT_FOUND', 'ENOENT'],
  [{ secret: 'none' }, 'auth', 'CREDENTIAL_NOT_FOUND', "credential 'none'"],
  [{ secret: 'pg', field: 'pin' }, 'not_found', 'SECRET_FIELD', "no field 'pin'"],
  [{ provider: 'env', secret: 'api_key', field: 'x' }, 'not_found', 'SECRET_FIELD', 'not a JSON mapping'],
  [
    { provider: 'keepass', secret: 'x' },
    'validation',
    'INVALID_INPUT',
    "provider 'keepass' is not one of credential, environment",
  ],
  [{ provider: 'env' }, 'validation', 'INVALID_INPUT', '`secret` is missing'],
  [
    { secret: 'x', auth: { token: VALUE } },
    'validation',
    'INVALID_INPUT',
    'auth must be the name of a credential',
  ],
])('%j', async (config, kind, code, message) => {
  const { error } = await run(tool, config as JsonObject, {}, stored());
  expect(error).toMatchObject({ kind, code, retryable: false });
  expect(error!.message).toContain(message);
  expect(JSON.stringify(error)).not.toContain(VALUE);
});

test('google, on a machine without an identity of Google: an error, and nothing left behind', async () => {
  const home = { ...process.env };
  Object.assign(process.env, { HOME: folder, METADATA_SERVER_DETECTION: 'none' });
  delete process.env['GOOGLE_APPLICATION_CREDENTIALS'];
  try {
    const { error } = await run(tool, { provider: 'google', secret: 'db', project: 'p' });
    expect(error).toMatchObject({ kind: 'auth', code: 'SECRET_DENIED', retryable: false });
    expect(error!.message).toContain('GOOGLE_APPLICATION_CREDENTIALS');
  } finally {
    process.env = home;
  }
});
