/** Against an emulator from PyPI; what it cannot do (stop in the middle) by a server of the test. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Storage } from '@google-cloud/storage';
import { openStorage, type Storage as ResultStorage } from '../../../src/storage/blobs';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { artifact } from '../artifact/run';
import { gcs as tool } from './run';
import { shell } from '../shell/run';

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
  [
    'numbers and dates, none of them rounded',
    {
      data: '{"big": 9223372036854775807, "half": 0.5, "at": "2026-01-31T08:00:00Z"}',
      content_type: 'application/json',
    },
    { data: { big: '9223372036854775807', half: 0.5, at: '2026-01-31T08:00:00Z' } },
  ],
  [
    'JSON that is none, as the text it is',
    { data: '{"n": NaN}', content_type: 'application/json' },
    { data: '{"n": NaN}' },
  ],
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

describe('the store of large results', () => {
  let results: ResultStorage;
  beforeAll(async () => {
    results = await openStorage(`file://${folder}/results`);
  });
  afterAll(() => results.close());
  const data = (): JsonObject => ({ endpoint: emulator.url, project: 'p' });
  const withStore = (): TestContext => ({
    ...context({ store: { type: 'gcs', data: data() } }),
    results: results.results('default')!,
  });
  const sent = (config: JsonObject): Promise<Outcome> =>
    run(tool, { auth: 'store', ...config }, {}, withStore());

  test('takes an object of any size, which other tasks have as a file, and gives it back', async () => {
    const bytes = Buffer.from(Array.from({ length: 9_000_000 }, (_, n) => (n * 7) % 251));
    await ok({
      source: file('big.bin', bytes),
      destination: 'gs://noetl-gcs/big.bin',
      content_type: 'application/x-test',
    });
    const down = await sent({ source: 'gs://noetl-gcs/big.bin', destination: { store: 'results' } });
    expect(down.error).toBeNull();
    const reference = (down.result as { data: JsonObject }).data;
    expect(down.result).toMatchObject({
      uri: 'gs://noetl-gcs/big.bin',
      size: 9_000_000,
      data: { content_type: 'application/x-test', size: 9_000_000, key: expect.any(String) },
    });
    const cmds = ['sha256sum < "$NOETL_FILES/big.bin"'];
    const hashed = await run(shell, { cmds, files: { 'big.bin': reference } }, {}, withStore());
    expect((hashed.result as { stdout: string }).stdout).toContain(reference['sha256']);

    // As a template writes it into a text, too.
    for (const source of [reference, JSON.stringify(reference)]) {
      const up = await sent({ source, destination: 'gs://noetl-gcs/again.bin' });
      expect(up.error).toBeNull();
      expect(up.result).toMatchObject({ size: 9_000_000, content_type: 'application/x-test' });
    }
    await ok({ source: 'gs://noetl-gcs/again.bin', destination: file('again.bin') });
    expect(fs.readFileSync(file('again.bin')).equals(bytes)).toBe(true);
  });

  test('gives a value that was put as JSON', async () => {
    const put = await run(artifact, { data: { a: [1] } }, {}, withStore());
    await sent({ source: put.result, destination: 'gs://noetl-gcs/a.json' });
    expect(await ok({ source: 'gs://noetl-gcs/a.json' })).toMatchObject({ data: { a: [1] } });
  });

  test.each<[string, JsonObject, string]>([
    ['another store', { source: 'gs://noetl-gcs/x', destination: { store: 'elsewhere' } }, 'INVALID_SAVE_TO'],
    [
      'no name for a reference',
      { source: { key: 'k', checksum: 'c' }, destination: 'gs://noetl-gcs/' },
      'INVALID_',
    ],
    [
      'an object that is not there',
      { source: 'gs://noetl-gcs/none', destination: { store: 'results' } },
      'GCS_404',
    ],
  ])('%s is told', async (_, config, code) => {
    expect((await sent(config)).error).toMatchObject({
      code: expect.stringContaining(code),
      retryable: false,
    });
  });

  test('is needed for it', async () => {
    const outcome = await send({ source: 'gs://noetl-gcs/x', destination: { store: 'results' } });
    expect(outcome.error).toMatchObject({ code: 'NO_STORE' });
  });
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

test.each<[string, (ctx: TestContext) => void, () => string, string]>([
  ['cancelled', (ctx) => ctx.controller.abort(), () => file('early.bin'), 'cancelled'],
  ['that cannot be written', () => undefined, () => file(`early${'n'.repeat(300)}`), 'exception'],
])(
  'a download %s before its answer comes ends, and the answer harms nobody',
  async (_, meddle, target, kind) => {
    let close: (() => void) | undefined;
    const server = http.createServer((request, response) => {
      meddle(ctx);
      setTimeout(() => response.end('late'), 300);
      request.socket.once('close', () => close?.());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ctx = context();
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const destination = target();
    const config = { auth: { endpoint }, source: 'gs://noetl-gcs/x', destination };
    expect((await run(tool, config, {}, ctx)).error).toMatchObject({ kind });
    // What is thrown when the answer comes is thrown at nobody, and would end this process.
    await new Promise<void>((resolve) => {
      close = resolve;
      setTimeout(resolve, 1_000);
    });
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('early'))).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
);
