/** The worker's own logins go to no server that a playbook names: a playbook gets what it names, not what the worker is. */
import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject } from '../../../src/language/plan';
import { context, run } from '../../../test/support/tool-call';
import { gcs } from '../../kinds/gcs/run';
import { postgres } from '../../kinds/postgres/run';
import { script } from '../../kinds/script/run';
import { secrets } from '../../kinds/secrets/run';

const OWN = 'own-login-of-the-worker';
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-own-logins-'));
const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});
afterAll(() => fs.rmSync(home, { recursive: true }));

/** A server that is asked for nothing, and asks for the password in plain text. */
async function hostilePostgres(): Promise<{ port: number; received: () => string; stop(): void }> {
  let received = '';
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      const isSsl = piece.length === 8 && piece.readInt32BE(4) === 80_877_103;
      if (isSsl) return void socket.write('N');
      if (piece[0] === 0) return void socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      received += piece.toString('latin1');
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    stop: () => void server.close(),
  };
}

test.each([
  [
    'fields',
    (port: number): JsonObject => ({ type: 'postgres', host: '127.0.0.1', port, user: 'u', database: 'd' }),
  ],
  ['a dsn', (port: number): JsonObject => ({ type: 'postgres', dsn: `postgres://u@127.0.0.1:${port}/d` })],
  [
    'a dsn without a user',
    (port: number): JsonObject => ({ type: 'postgres', dsn: `postgres://127.0.0.1:${port}/d` }),
  ],
  [
    'a dsn with an empty password, and more behind it',
    (port: number): JsonObject => ({
      type: 'postgres',
      dsn: `postgres://u:@127.0.0.1:${port}/d?password=#x`,
    }),
  ],
  [
    'a dsn that names its host as a parameter',
    (port: number): JsonObject => ({ type: 'postgres', dsn: `postgres:///d?host=127.0.0.1&port=${port}` }),
  ],
])('postgres: neither PGPASSWORD nor ~/.pgpass, to %s', async (_how, auth) => {
  const server = await hostilePostgres();
  process.env['PGPASSWORD'] = OWN;
  process.env['HOME'] = home;
  process.env['PGPASSFILE'] = path.join(home, '.pgpass');
  fs.writeFileSync(path.join(home, '.pgpass'), `*:*:*:*:${OWN}\n`, { mode: 0o600 });
  const { error } = await run(postgres, { auth: auth(server.port), command: 'select 1' });
  server.stop();
  expect(error).not.toBeNull();
  expect(server.received()).toContain('none-in-the-credential');
  expect(server.received()).not.toContain(OWN);
});

test('vault: VAULT_TOKEN and VAULT_NAMESPACE go to VAULT_ADDR only', async () => {
  const headers: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    headers.push(request.headers);
    response.end(JSON.stringify({ data: { data: { k: 'value-of-a-secret' }, metadata: { version: 1 } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, { VAULT_TOKEN: OWN, VAULT_NAMESPACE: OWN, VAULT_ADDR: 'http://127.0.0.1:1' });
  const ask = (auth?: string): Promise<unknown> =>
    run(
      secrets,
      { provider: 'vault', secret: 'app', ...(auth && { auth }) },
      {},
      context({ theirs: { type: 'vault', data: { address } } }),
    );
  await ask('theirs');
  expect(headers).toHaveLength(1);
  expect(JSON.stringify(headers)).not.toContain(OWN);
  process.env['VAULT_ADDR'] = address;
  await ask();
  expect(headers[1]).toMatchObject({ 'x-vault-token': OWN, 'x-vault-namespace': OWN });
  server.close();
});

test.each<JsonObject>([
  { mount: 'auth/token', secret: 'lookup-self', kv_version: 1 },
  { mount: '/AUTH/token/', secret: 'lookup-self', kv_version: 1 },
  { secret: '../../auth/token/lookup-self' },
  { secret: '../auth/token/lookup-self', kv_version: 1 },
  { mount: 'secret/../auth/token', secret: 'lookup-self', kv_version: 1 },
  { mount: '..', secret: 'v1/auth/token/lookup-self', kv_version: 1 },
  { mount: 'sys', secret: 'wrapping/lookup', kv_version: 1 },
  { mount: 'cubbyhole', secret: 'x', kv_version: 1 },
  { mount: 'secret', secret: './x' },
  { mount: 'secret', secret: 'a//b' },
])('vault: its own paths are no secrets, where it tells the token of who asks: %j', async (place) => {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url!);
    response.end(JSON.stringify({ data: { id: OWN } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, { VAULT_TOKEN: OWN, VAULT_ADDR: address });
  const { error } = await run(secrets, { provider: 'vault', ...place });
  expect([error, asked]).toMatchObject([{ kind: 'validation', code: 'SECRET_INVALID' }, []]);
  // What looks like a part of an address is one of a name.
  await run(secrets, { provider: 'vault', mount: 'a?b', secret: '%2e%2e/c#d', kv_version: 1 });
  expect(asked).toEqual(['/v1/a%3Fb/%252e%252e/c%23d']);
  server.close();
});

describe('a server that a playbook names', () => {
  let received = '';
  const server = http.createServer((request, response) => {
    received += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`;
    request.on('data', (piece: Buffer) => (received += piece.toString()));
    request.on('end', () => response.writeHead(400).end('{}'));
  });
  let address = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => void (received = ''));
  afterAll(() => void server.close());
  const asked = async (tool: typeof secrets, config: JsonObject, data: JsonObject): Promise<unknown> =>
    (await run(tool, { auth: 'theirs', ...config }, {}, context({ theirs: { type: 'x', data } }))).error;
  const secret = { provider: 'aws', secret: 'db' };
  const scripted = { script: { uri: 's3://bucket/a.sh', source: { type: 's3', auth: 'theirs' } } };

  test.each<[string, typeof secrets, JsonObject]>([
    ['secrets', secrets, secret],
    ['a script in a bucket', script, scripted],
  ])('gets neither keys nor session token of AWS, from %s', async (_what, tool, config) => {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: OWN,
      AWS_SECRET_ACCESS_KEY: 'key',
      AWS_SESSION_TOKEN: `${OWN}-session`,
    });
    const own = { endpoint: address, region: 'us-east-1' };
    expect(await asked(tool, config, own)).toMatchObject({ code: 'NOT_AUTHENTICATED' });
    expect(received).toBe('');
    const theirs = { ...own, access_key_id: 'theirs', secret_access_key: 'theirs' };
    expect(await asked(tool, config, theirs)).not.toBeNull();
    expect(received).toContain('Credential=theirs/');
    expect(received).not.toContain(OWN);
  });

  test('is not reached by way of a region', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: OWN, AWS_SECRET_ACCESS_KEY: 'key' });
    const region = `x@${address.slice('http://'.length)}/`;
    expect(await asked(secrets, secret, { region })).toMatchObject({ code: 'CREDENTIAL_INVALID' });
    expect(received).toBe('');
  });

  test.each<[string, typeof secrets, JsonObject]>([
    ['gcs', gcs, { source: 'gs://bucket/name', destination: '/dev/null' }],
    ['secrets', secrets, { provider: 'google', secret: 'db', project: 'p' }],
  ])('gets no file by way of a federated account of Google, from %s', async (_what, tool, config) => {
    const file = path.join(home, 'a-file-of-the-worker');
    fs.writeFileSync(file, OWN);
    const account = {
      type: 'external_account',
      audience: 'a',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${address}/token`,
      credential_source: { file },
    };
    const complete = { ...account, client_email: 'a@b.c', private_key: 'k' };
    for (const given of [account, complete, JSON.stringify(complete)])
      expect(await asked(tool, config, { service_account_json: given })).toMatchObject({
        code: 'CREDENTIAL_INVALID',
      });
    // The fields themselves: of those that are not a service account's, none gets to the client.
    expect(await asked(tool, config, complete)).not.toBeNull();
    expect(received).toBe('');
  });
});
