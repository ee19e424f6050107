/** Against an emulator from PyPI; what it cannot do (stop in the middle) by a server of the test. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Storage } from '@google-cloud/storage';
import { type JsonObject, type Outcome } from '../src/plan';
import { type Emulator, needEmulator } from '../test/support/python-servers';
import { context, run } from '../test/support/tool-call';
import { gcs as tool } from './gcs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-gcs-'));
let emulator: Emulator;
beforeAll(async () => {
  emulator = await needEmulator('gcs');
  await new Storage({
    apiEndpoint: emulator.url,
    projectId: 'p',
    useAuthWithCustomEndpoint: false,
  }).createBucket('noetl-gcs');
}, 400_000);
afterAll(async () => {
  await emulator?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const at = (endpoint: string, config: JsonObject): Promise<Outcome> =>
  run(
    tool,
    { auth: 'store', ...config },
    {},
    context({ store: { type: 'gcs', data: { endpoint, project: 'p' } } }),
  );
const send = (config: JsonObject): Promise<Outcome> => at(emulator.url, config);
async function ok(config: JsonObject): Promise<JsonObject> {
  const outcome = await send(config);
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
}
const file = (name: string, content?: string | Buffer): string => {
  const where = path.join(folder, name);
  if (content !== undefined) fs.writeFileSync(where, content);
  return where;
};

test('a file goes up and comes down again, byte by byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 256));
  const up = await ok({
    source: file('a.bin', bytes),
    destination: 'gs://noetl-gcs/in/a.bin',
    content_type: 'application/x-test',
    metadata: { owner: 'team', run: 7 },
  });
  expect(up).toMatchObject({
    uri: 'gs://noetl-gcs/in/a.bin',
    bucket: 'noetl-gcs',
    blob: 'in/a.bin',
    size: 300_000,
    content_type: 'application/x-test',
  });
  const down = await ok({ source: 'gs://noetl-gcs/in/a.bin', destination: file('deep/b.bin') });
  expect(down).toMatchObject({
    path: file('deep/b.bin'),
    size: 300_000,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(fs.readFileSync(file('deep/b.bin')).equals(bytes)).toBe(true);
});

test('a destination that ends with a slash takes the name of the source', async () => {
  const up = await ok({ source: file('c.txt', 'c'), destination: 'gs://noetl-gcs/folder/' });
  expect(up['uri']).toBe('gs://noetl-gcs/folder/c.txt');
  expect(await ok({ source: 'gs://noetl-gcs/folder/c.txt', destination: 'gs://noetl-gcs' })).toMatchObject({
    uri: 'gs://noetl-gcs/c.txt',
    source: 'gs://noetl-gcs/folder/c.txt',
  });
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'data as JSON',
    { data: { rows: [1, null, 'ü'] } },
    { data: { rows: [1, null, 'ü'] }, content_type: 'application/json' },
  ],
  ['text as it is', { data: 'ä\nb' }, { data: 'ä\nb' }],
  ['bytes as base64', { data: 'AP8K', encoding: 'base64' }, { data: 'AP8K', data_encoding: 'base64' }],
  ['text that is read as bytes', { data: 'hi', response_type: 'binary' }, { data: 'aGk=' }],
])('writes and reads %s', async (_, { response_type, ...write }, expected) => {
  await ok({ destination: 'gs://noetl-gcs/w/x', ...write });
  expect(await ok({ source: 'gs://noetl-gcs/w/x', ...(response_type && { response_type }) })).toMatchObject(
    expected,
  );
});

test('lists what begins so, and says when there is more', async () => {
  for (const name of ['a', 'b', 'c']) await ok({ data: name, destination: `gs://noetl-gcs/list/${name}` });
  const all = await ok({ source: 'gs://noetl-gcs/list/' });
  expect(all).toMatchObject({ count: 3, truncated: false });
  expect((all['objects'] as JsonObject[]).map((one) => one['blob'])).toEqual(['list/a', 'list/b', 'list/c']);
  expect(await ok({ action: 'list', source: 'gs://noetl-gcs/nothing' })).toMatchObject({
    count: 0,
    objects: [],
  });
});

test('deletes, and deleting what is gone is no failure', async () => {
  await ok({ data: 1, destination: 'gs://noetl-gcs/gone' });
  expect(await ok({ action: 'delete', source: 'gs://noetl-gcs/gone' })).toMatchObject({ deleted: true });
  expect(await ok({ action: 'delete', source: 'gs://noetl-gcs/gone' })).toMatchObject({ deleted: false });
});

test('a private key that is none is a matter of auth, and is not shown', async () => {
  const account = { type: 'service_account', client_email: 'a@b.c', private_key: 'sesame-sesame' };
  const auth = { service_account_json: JSON.stringify(account), endpoint: emulator.url };
  const outcome = await run(tool, { auth, source: 'gs://noetl-gcs/c.txt' });
  expect(outcome.error).toMatchObject({ kind: 'auth', code: 'NOT_AUTHENTICATED', retryable: false });
  expect(JSON.stringify(outcome)).not.toContain('sesame');
});

test('a cancelled download leaves no file, and ends at once', async () => {
  const sockets = new Set<Socket>();
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000000' });
    response.write('x'.repeat(1000));
    ctx.controller.abort();
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ctx = context();
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = file('cancelled.bin');
  const outcome = await run(
    tool,
    { auth: { endpoint }, source: 'gs://noetl-gcs/x', destination: target },
    {},
    ctx,
  );
  expect(outcome.error).toMatchObject({ kind: 'cancelled' });
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('cancelled'))).toEqual([]);
  sockets.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});
