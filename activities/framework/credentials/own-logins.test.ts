/** The worker's own logins go to no server that a playbook names: a playbook gets what it names, not what the worker is. */
import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject } from '../../../src/plan';
import { context, run } from '../../../test/support/tool-call';
import { postgres } from '../../kinds/postgres/run';
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
