/** A Temporal server behind TLS that asks for a client certificate, named by a temporal.toml. */
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import {
  connect,
  connectionOptions,
  profileVariables,
  type TemporalTarget,
  targetOf,
} from '../../src/temporal/client';
import { installRuntime } from '../../src/temporal/worker';
import { startTestServer, type TestServer } from '../support/temporal';

const FIXTURES = path.resolve(__dirname, '../fixtures/tls');
const fixture = (name: string): string => path.join(FIXTURES, name);

let server: TestServer;
let proxy: tls.Server;
let folder: string;
let port: number;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  server = await startTestServer();
  const [host, upstream] = server.address.split(':');
  proxy = tls.createServer(
    {
      key: fs.readFileSync(fixture('server.key')),
      cert: fs.readFileSync(fixture('server.pem')),
      ca: fs.readFileSync(fixture('ca.pem')),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (secured) => {
      const plain = net.connect(Number(upstream), host);
      for (const socket of [secured, plain]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => [secured, plain].forEach((one) => one.destroy()));
      }
      secured.pipe(plain).pipe(secured);
    },
  );
  proxy.on('tlsClientError', () => undefined); // those without a certificate
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  ({ port } = proxy.address() as AddressInfo);
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-toml-'));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
  fs.rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

function toml(text: string): string {
  const file = path.join(folder, 'temporal.toml');
  fs.writeFileSync(file, text);
  return file;
}

const secured = (): string => `
[profile.default]
address = "nowhere.invalid:7233"
[profile.secured]
address = "localhost:${port}"
namespace = "default"
[profile.secured.tls]
server_ca_cert_path = ${JSON.stringify(fixture('ca.pem'))}
client_cert_path = ${JSON.stringify(fixture('client.pem'))}
client_key_path = ${JSON.stringify(fixture('client.key'))}
[profile.secured.grpc_meta]
x-team = "data"
`;

async function targetFrom(env: Record<string, string>): Promise<TemporalTarget> {
  return targetOf(undefined, { ...env, ...(await profileVariables(env)) });
}

test('client and workers reach it by the profile that is named', async () => {
  const env = { TEMPORAL_CONFIG_FILE: toml(secured()), TEMPORAL_PROFILE: 'secured' };
  const target = await targetFrom(env);
  expect(target).toMatchObject({
    address: `localhost:${port}`,
    namespace: 'default',
    metadata: { 'x-team': 'data' },
  });
  const { connection, client } = await connect(target, 30_000);
  expect(await client.workflow.count()).toMatchObject({ count: 0 });
  await connection.close();
  installRuntime();
  const native = await NativeConnection.connect(connectionOptions(target));
  await native.close();
});

test('the environment wins over the file', async () => {
  const file = toml(secured());
  const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'secured' };
  expect(await profileVariables({ ...env, TEMPORAL_NAMESPACE: 'mine' })).not.toHaveProperty(
    'TEMPORAL_NAMESPACE',
  );
  const key = { TEMPORAL_TLS_KEY_DATA: 'K', TEMPORAL_TLS_CERT_DATA: 'C' };
  const { tls: given } = await targetFrom({ ...env, ...key });
  expect(given).toMatchObject({ clientCertPair: { crt: Buffer.from('C'), key: Buffer.from('K') } });
  expect(await profileVariables({})).toEqual({});
});

test('without a certificate it is refused, a broken file is named, and a profile that is not there too', async () => {
  const bare = {
    address: `localhost:${port}`,
    namespace: 'default',
    tls: { serverRootCACertificate: fs.readFileSync(fixture('ca.pem')) },
  };
  await expect(connect(bare, 3_000)).rejects.toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
  await expect(profileVariables({ TEMPORAL_CONFIG_FILE: toml('= nonsense') })).rejects.toMatchObject({
    code: 'TEMPORAL_CONFIG_INVALID',
  });
  await expect(
    profileVariables({ TEMPORAL_CONFIG_FILE: toml(secured()), TEMPORAL_PROFILE: 'other' }),
  ).rejects.toMatchObject({
    code: 'TEMPORAL_CONFIG_INVALID',
    message: expect.stringContaining('other') as string,
  });
});
