/** Every way to log in, and TLS, against real nats-servers. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { nats as tool } from './run';

const TLS = path.resolve(__dirname, '../../../test/fixtures/tls');
const file = (name: string): string => path.join(TLS, name);
const pem = (name: string): string => fs.readFileSync(file(name), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-nats-login-'));

type KeyPair = ReturnType<typeof nkeys.createUser>;

const user = nkeys.createUser();
const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed());
const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];

/** A token of NATS: signed by `issuer`, about `subject`. */
function jwt(issuer: KeyPair, subject: KeyPair, nats: JsonObject): string {
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iat: 1_700_000_000,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
  };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex');
  const text = `${base64({ typ: 'JWT', alg: 'ed25519-nkey' })}.${base64({ ...claims, jti, nats: { version: 2, ...nats } })}`;
  return `${text}.${Buffer.from(issuer.sign(new TextEncoder().encode(text))).toString('base64url')}`;
}

const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
const userJwt = jwt(account, user, { type: 'user', subs: -1, data: -1, payload: -1, pub: {}, sub: {} });
const creds = `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seedOf(user)}\n------END USER NKEY SEED------\n`;

function preloaded(pair: KeyPair): string {
  const limits = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    conn: -1,
    leaf: -1,
    ...(pair === account && storage),
  };
  const claims = { type: 'account', limits, default_permissions: { pub: {}, sub: {} } };
  return `${pair.getPublicKey()}: ${jwt(operator, pair, claims)}`;
}

/** What each server is started with. */
const SERVERS: Record<string, () => string[]> = {
  password: () => ['--user', 'ada', '--pass', 'sesame-0815'],
  token: () => ['--auth', 'token-4711'],
  nkey: () => [
    '-c',
    config(
      'nkey',
      `authorization: { users: [{ nkey: ${user.getPublicKey()}, permissions: { publish: "_INBOX.>" } }] }`,
    ),
  ],
  jwt: () => [
    '-c',
    config(
      'jwt',
      [
        `operator: ${jwt(operator, operator, { type: 'operator' })}`,
        'resolver: MEMORY',
        `system_account: ${system.getPublicKey()}`,
        `resolver_preload: { ${[account, system].map(preloaded).join(', ')} }`,
      ].join('\n'),
    ),
  ],
  tls: () => ['--tls', '--tlscert', file('server.pem'), '--tlskey', file('server.key')],
  mutual: () => [
    ...['--tlsverify', '--tlscert', file('server.pem'), '--tlskey', file('server.key')],
    ...['--tlscacert', file('ca.pem')],
  ],
};

function config(name: string, text: string): string {
  const written = path.join(folder, `${name}.conf`);
  fs.writeFileSync(written, text);
  return written;
}

const servers: Record<string, Emulator> = {};
beforeAll(async () => {
  for (const [name, args] of Object.entries(SERVERS)) servers[name] = await needEmulator('nats', args());
}, 400_000);
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  fs.rmSync(folder, { recursive: true, force: true });
});

function put(server: string, data: JsonObject): Promise<Outcome> {
  const credential = { type: 'nats', data: { nats_url: servers[server]!.url, ...data } };
  const config = { auth: 'bus', operation: 'kv_put', bucket: 'b', key: 'k', value: 1 };
  return run(tool, config, {}, context({ bus: credential }));
}

test.each<[string, string, JsonObject]>([
  ['a password', 'password', { nats_user: 'ada', nats_password: 'sesame-0815' }],
  ['a token', 'token', { nats_token: 'token-4711' }],
  ['a token and its key', 'jwt', { nats_jwt: userJwt, nats_nkey_seed: seedOf(user) }],
  ['creds', 'jwt', { nats_creds: creds }],
  ['TLS with a CA of its own, as text', 'tls', { tls_ca: pem('ca.pem') }],
  ['TLS with a CA of its own, as a file', 'tls', { tls_ca: file('ca.pem'), tls: true }],
  [
    'a certificate',
    'mutual',
    { tls_ca: file('ca.pem'), tls_cert: pem('client.pem'), tls_key: file('client.key') },
  ],
])('%s lets us in', async (_what, server, data) => {
  expect(await put(server, data)).toMatchObject({ status: 'ok', result: { status: 'success' } });
});

test('creds from a file', async () => {
  const written = path.join(folder, 'user.creds');
  fs.writeFileSync(written, creds);
  expect((await put('jwt', { nats_creds: written })).status).toBe('ok');
});

test('a key lets us in, and its permissions hold', async () => {
  expect((await put('nkey', { nats_nkey_seed: seedOf(user) })).error).toMatchObject({
    kind: 'auth',
    code: 'NOT_PERMITTED',
    retryable: false,
  });
});

const AUTH = { kind: 'auth', code: 'NOT_AUTHORIZED', retryable: false };
const UNTRUSTED = { kind: 'connection', code: 'TLS_ERROR', retryable: false };
test.each<[string, string, JsonObject, object]>([
  ['a wrong password', 'password', { nats_user: 'ada', nats_password: 'wrong-word-1' }, AUTH],
  ['no login at all', 'password', {}, AUTH],
  ['a wrong token', 'token', { nats_token: 'wrong-token-1' }, AUTH],
  ['another key', 'nkey', { nats_nkey_seed: seedOf(nkeys.createUser()) }, AUTH],
  [
    'a token that another key signs',
    'jwt',
    { nats_jwt: userJwt, nats_nkey_seed: seedOf(nkeys.createUser()) },
    AUTH,
  ],
  ['a server that nobody known vouches for', 'tls', {}, UNTRUSTED],
  ['a server without TLS where it must be', 'token', { nats_token: 'token-4711', tls: true }, UNTRUSTED],
])('%s keeps us out', async (_what, server, data, expected) => {
  const { error } = await put(server, data);
  expect(error).toMatchObject(expected);
  expect(JSON.stringify(error)).not.toMatch(/wrong-|SU[A-Z2-7]{20}/);
});

test('a server that wants a certificate does not get on without', async () => {
  expect((await put('mutual', { tls_ca: file('ca.pem') })).error).toMatchObject({ kind: 'connection' });
});

test.each<[JsonObject, string]>([
  [{ nats_nkey_seed: 'SUNOSEED' }, 'has an invalid seed or creds'],
  [{ nats_jwt: 'x' }, 'has nats_jwt and no nats_nkey_seed'],
  [{ nats_creds: '/nowhere/x.creds' }, 'neither its text nor a readable file (ENOENT)'],
  [{ tls_ca: '/nowhere/ca.pem' }, 'has a tls_ca that is neither its text nor a readable file'],
  [{ tls_cert: pem('client.pem') }, 'has only one of tls_cert and tls_key'],
])('a credential that makes no sense (%#)', async (data, why) => {
  const { error } = await put('token', data);
  expect(error).toMatchObject({ kind: 'auth', code: 'CREDENTIAL_INVALID', retryable: false });
  expect(error!.message).toMatch(/^credential 'bus' has /);
  expect(error!.message).toContain(why);
});
