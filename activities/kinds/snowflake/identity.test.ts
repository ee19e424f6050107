/** Every way to log in to Snowflake: the driver's tokens are checked as Snowflake does (test/support/fake_snowflake.py). */
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { snowflake as tool } from './run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-snowflake-login-'));
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const encrypted = pair.privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sesame-0815' })
  .toString();

let server: Emulator;
beforeAll(async () => {
  const known = path.join(folder, 'known.pem');
  fs.writeFileSync(known, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  server = await needEmulator('snowflake', [known]);
}, 400_000);
afterAll(async () => {
  await server?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

function login(data: JsonObject): Promise<Outcome> {
  const all = { sf_account: 'fake', sf_user: 'u', access_url: server.url, ...data };
  const ctx = context({ sf: { type: 'snowflake', data: all } });
  return run(tool, { auth: 'sf', query: 'select 1 as one' }, {}, ctx);
}

const file = path.join(folder, 'key.p8');
test.each<[string, () => JsonObject]>([
  ['PKCS #8', () => ({ sf_private_key: pkcs8 })],
  [
    'PKCS #1',
    () => ({ sf_private_key: pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() }),
  ],
  ['one line with escapes', () => ({ private_key: pkcs8.replaceAll('\n', '\\n') })],
  ['base64 without its frame', () => ({ private_key: pkcs8.replace(/-----.*-----|\n/g, '') })],
  ['encrypted', () => ({ sf_private_key: encrypted, sf_private_key_passphrase: 'sesame-0815' })],
  [
    'a file',
    () => {
      fs.writeFileSync(file, encrypted);
      return { sf_private_key_path: file, sf_private_key_passphrase: 'sesame-0815' };
    },
  ],
])('a key: %s', async (_form, data) => {
  expect(await login(data())).toMatchObject({ status: 'ok', result: { rows: [{ ONE: 1 }] } });
});

test('a token of OAuth', async () => {
  expect(await login({ sf_token: 'right' })).toMatchObject({ status: 'ok' });
});

test.each<[string, JsonObject, string]>([
  [
    'a key that is not the user’s',
    { sf_private_key: other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
    'SNOWFLAKE_390144',
  ],
  ['a token that is not the user’s', { sf_token: 'expired' }, 'SNOWFLAKE_390303'],
])('%s is refused', async (_what, data, code) => {
  expect((await login(data)).error).toMatchObject({ kind: 'auth', code, retryable: false });
});

test.each<[string, JsonObject, string]>([
  ['no key', { sf_private_key: 'no key' }, 'cannot be read'],
  [
    'a passphrase that is missing',
    { sf_private_key: encrypted },
    'is encrypted; add its sf_private_key_passphrase',
  ],
  [
    'a wrong passphrase',
    { sf_private_key: encrypted, sf_private_key_passphrase: 'wrong' },
    'does not open with its sf_private_key_passphrase',
  ],
  [
    'another kind of key',
    {
      sf_private_key: generateKeyPairSync('ed25519')
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    },
    'is not an RSA key',
  ],
  [
    'a file that is not there',
    { sf_private_key_path: '/nowhere/key.p8' },
    'a file that cannot be read (ENOENT)',
  ],
])('%s is told before anybody is asked', async (_what, data, why) => {
  const { error } = await login(data);
  expect(error).toMatchObject({ kind: 'auth', code: 'CREDENTIAL_INVALID', retryable: false });
  expect(error!.message).toContain(why);
});
