/** Bodies in the store of large results, streamed there by http; taken.test.ts: who takes them. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import nodeHttp from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { openStorage, type Storage } from '../../../src/storage/blobs';
import { blobFailure } from '../../../src/storage/blobs/failure';
import { payloadCodec } from '../../../src/storage/codec';
import { keyRing, parseKeys } from '../../../src/storage/keyring';
import { type ResultStore } from '../../../src/storage/payloads';
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { onSmallDisk } from '../../../test/support/small-disk';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { artifact } from '../../kinds/artifact/run';
import { http } from '../../kinds/http/run';

const MIB = 1024 * 1024;
const IN_STORE = { store: 'results' };
const CSV = 'id,city\n1,Oslo\n2,"Łódź, PL"\n';

let folder: string;
let storage: Storage;
let server: nodeHttp.Server;
let url: string;
let answer: nodeHttp.RequestListener;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-stored-'));
  storage = await openStorage(`file://${folder}/blobs`);
  server = nodeHttp.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data`;
});
afterAll(async () => {
  await Promise.all([http.close!(), storage.close()]);
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => fs.rmSync(path.join(folder, 'blobs'), { recursive: true, force: true }));

const withStore = (): TestContext => ({ ...context(), results: storage.results('default')! });
const get = (config: JsonObject = {}, ctx = withStore()): Promise<Outcome> =>
  run(http, { url, save_to: IN_STORE, ...config }, {}, ctx);
const fetched = (ref: Json, more: JsonObject = {}): Promise<Outcome> =>
  run(artifact, { action: 'get', ref, ...more }, {}, withStore());
function stored(outcome: Outcome): JsonObject {
  expect(outcome.error).toBeNull();
  return (outcome.result as { data: JsonObject }).data;
}
/** Everything that stands in the store, unfinished or not. */
function left(): string[] {
  const root = path.join(folder, 'blobs');
  if (!fs.existsSync(root)) return [];
  const found = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => one.name);
}
const says =
  (body: string | Buffer, headers: nodeHttp.OutgoingHttpHeaders = {}): nodeHttp.RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(body);

test('an answer in several parts is stored as it streams; its reference says what it is', async () => {
  const body = randomBytes(20 * MIB + 7);
  answer = says(body, { 'content-type': 'application/x-thing', 'content-length': body.length });
  const ctx = withStore();
  const reference = stored(await get({}, ctx));
  expect(reference).toEqual({
    store: 'file',
    key: expect.stringMatching(/^v0\/ns\/default\/wi\/noetl-287146398761160704\/d\/sha256\//) as string,
    range: null,
    size: body.length,
    checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    schema_hint: { type: 'bytes' },
    content_type: 'application/x-thing',
    sha256: createHash('sha256').update(body).digest('hex'),
  });
  expect(left()).toHaveLength(4);
  // How far it is, of how much.
  expect(ctx.beats.length).toBeGreaterThan(2);
  expect(ctx.beats).toContainEqual({ bytes: expect.any(Number) as number, of: body.length });
  const target = path.join(folder, 'whole.bin');
  expect((await fetched(reference, { save_to: target })).result).toMatchObject({
    path: target,
    bytes: body.length,
    sha256: reference['sha256'],
    content_type: 'application/x-thing',
  });
  expect(fs.readFileSync(target).equals(body)).toBe(true);
});

test.each<[string, string | Buffer, string, Json]>([
  ['JSON', '{"n": [1, 2]}', 'application/json', { n: [1, 2] }],
  ['text', 'ä\nb', 'text/plain; charset=utf-8', 'ä\nb'],
  [
    'bytes',
    Buffer.from([0x89, 0xff]),
    'image/png',
    { data: 'if8=', data_encoding: 'base64', content_type: 'image/png' },
  ],
  ['nothing', '', 'text/plain', null],
])('artifact get answers with a body that is small: %s', async (_, body, type, value) => {
  answer = says(body, { 'content-type': type });
  const reference = stored(await get());
  expect(reference['size']).toBe(Buffer.byteLength(body));
  expect((await fetched(reference)).result).toEqual(value);
  expect((await fetched(JSON.stringify(reference))).result).toEqual(value);
});

test('a body that is too large for a value is refused before it is fetched', async () => {
  const piece = Buffer.alloc(11 * MIB);
  answer = (_request, response) => {
    response.write(piece);
    response.write(piece);
    response.end(piece);
  };
  const { error } = await fetched(stored(await get()));
  expect(error).toMatchObject({ kind: 'validation', code: 'OBJECT_TOO_LARGE', retryable: false });
  expect(error!.message).toContain('write it to a file with `save_to`');
});

test('a packed answer is stored unpacked; its length on the way is not taken for its size', async () => {
  const packed = zlib.gzipSync(CSV.repeat(100));
  answer = says(packed, { 'content-encoding': 'gzip', 'content-length': packed.length });
  expect(stored(await get())).toMatchObject({ size: Buffer.byteLength(CSV) * 100, content_type: null });
});

test('the same work again gives a reference of its own, and leaves the first one as it was', async () => {
  answer = says(CSV, { 'content-type': 'text/csv' });
  const first = stored(await get());
  const second = stored(await get());
  expect(second['key']).not.toBe(first['key']);
  expect(second['sha256']).toBe(first['sha256']);
  expect((await fetched(first)).result).toBe(CSV);
  expect((await fetched(second)).result).toBe(CSV);
});

describe('nothing is left in the store, and the error says what happened', () => {
  const LARGE = Buffer.alloc(12 * MIB, 1);
  /** A whole part, and some of the next one. */
  const begins = (headers: nodeHttp.OutgoingHttpHeaders, then: (response: nodeHttp.ServerResponse) => void) =>
    ((_request, response) => {
      response.writeHead(200, headers);
      // A task that is over before anything was seen of it needs no end of its answer.
      response.write(
        LARGE,
        () => void until(async () => left().length > 0).then(() => then(response), nothing),
      );
    }) satisfies nodeHttp.RequestListener;
  const nothing = (): void => undefined;

  test.each<[string, nodeHttp.RequestListener, JsonObject, JsonObject]>([
    [
      'a reset in the middle of a length that was told',
      begins({ 'content-length': 100 * MIB }, (response) => response.destroy()),
      {},
      { kind: 'connection', code: 'CONNECTION_LOST', retryable: true },
    ],
    [
      'a reset in the middle of chunks',
      begins({}, (response) => response.destroy()),
      {},
      { kind: 'connection', code: 'CONNECTION_LOST', retryable: true },
    ],
    [
      'an end before the length that was told',
      begins({ 'content-length': 100 * MIB }, (response) => response.socket!.end()),
      {},
      { kind: 'connection', code: 'CONNECTION_LOST', retryable: true },
    ],
    [
      'an archive that is cut',
      (_request, response) => {
        const packed = zlib.gzipSync(randomBytes(10 * MIB));
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, packed.length - 9));
      },
      {},
      { kind: 'server_error', code: 'BAD_ENCODING', retryable: true },
    ],
    ['silence', begins({}, nothing), { timeout: 1.5 }, { kind: 'timeout', code: 'TIMEOUT', retryable: true }],
    [
      'more than is allowed',
      begins({}, (response) => response.end(LARGE)),
      { max_response_bytes: 20 * MIB },
      { kind: 'validation', code: 'RESPONSE_TOO_LARGE', retryable: false },
    ],
  ])('%s', async (_, listener, config, failure) => {
    answer = listener;
    const outcome = await get(config);
    expect(outcome.error).toMatchObject(failure);
    expect(left()).toEqual([]);
  });

  test('a cancellation', async () => {
    let closed = false;
    answer = (request, response) => {
      request.socket.on('close', () => (closed = true));
      begins({}, nothing)(request, response);
    };
    const ctx = withStore();
    const running = get({}, ctx);
    await until(async () => left().length > 0);
    ctx.controller.abort();
    expect((await running).error).toMatchObject({ kind: 'cancelled', code: 'CANCELLED' });
    expect(left()).toEqual([]);
    await until(async () => closed);
  });

  test('an answer that is an error: it is no body, and its own is read as always', async () => {
    answer = (_request, response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"why": "busy"}');
    expect(await get()).toMatchObject({ error: { code: 'HTTP_503' }, result: { data: { why: 'busy' } } });
    expect(left()).toEqual([]);
  });

  test('a store that fails after the first part', async () => {
    answer = says(LARGE);
    const results = storage.results('default')!;
    let puts = 0;
    const put: ResultStore['put'] = (...args) =>
      ++puts > 1
        ? Promise.reject(blobFailure('BLOB_NOT_STORED', 'cannot write to there: ENOSPC'))
        : results.put(...args);
    const { error } = await get({}, { ...withStore(), results: { ...results, put } });
    expect(error).toMatchObject({ kind: 'connection', code: 'BLOB_NOT_STORED', retryable: true });
    expect(error!.message).toContain('http: cannot write to there: ENOSPC');
    expect(left()).toEqual([]);
  });
});

test('a store that nobody can reach is an outcome, and the rest of the answer is not read', async () => {
  let closed = false;
  answer = (request, response) => {
    request.socket.on('close', () => (closed = true));
    response.writeHead(200).write(Buffer.alloc(9 * MIB));
  };
  const away = await openStorage('postgres://nobody:x@127.0.0.1:1/nothing');
  const outcome = await get({}, { ...context(), results: away.results('default')! } as TestContext);
  await away.close();
  expect(outcome.error).toMatchObject({ kind: 'connection', code: 'BLOB_NOT_STORED', retryable: true });
  await until(async () => closed);
});

test('a full disk is an outcome, and what was written goes', async () => {
  await onSmallDisk(16, async (disk) => {
    answer = says(Buffer.alloc(24 * MIB, 1));
    const small = await openStorage(`file://${disk}`);
    const outcome = await get({}, { ...context(), results: small.results('default')! } as TestContext);
    expect(outcome.error).toMatchObject({ kind: 'connection', code: 'BLOB_NOT_STORED', retryable: true });
    expect(outcome.error!.message).toContain('ENOSPC');
    const files = fs.readdirSync(disk, { recursive: true, withFileTypes: true });
    expect(files.filter((one) => one.isFile())).toEqual([]);
  });
});

test('what is wrong with save_to is said before anything is sent', async () => {
  let asked = 0;
  answer = (_request, response) => {
    asked++;
    response.end();
  };
  expect((await get({}, context())).error).toMatchObject({ kind: 'validation', code: 'NO_STORE' });
  for (const save_to of [{ store: 's3' }, { file: 'x' }, 7, []] as Json[]) {
    expect((await get({ save_to })).error).toMatchObject({ kind: 'validation', code: 'INVALID_SAVE_TO' });
  }
  expect(asked).toBe(0);
});

test('where history is encrypted, so is what tools put; and it comes back', async () => {
  const keys = parseKeys(randomBytes(32).toString('base64'), 'the test');
  const codec = payloadCodec({ encrypt: true, keys: () => keyRing(keys) });
  const secret = await openStorage(`file://${folder}/blobs`, codec);
  const ctx = { ...context(), results: secret.results('default')! } as TestContext;
  answer = says(`canary-${CSV}`, { 'content-type': 'text/csv' });
  const reference = stored(await get({}, ctx));
  const { result } = await run(artifact, { data: { text: 'canary-value' } }, {}, ctx);
  expect(left()).toHaveLength(3);
  const root = path.join(folder, 'blobs');
  for (const one of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (one.isFile())
      expect(fs.readFileSync(path.join(one.parentPath, one.name)).includes('canary')).toBe(false);
  }
  expect((await run(artifact, { ref: reference }, {}, ctx)).result).toBe(`canary-${CSV}`);
  expect((await run(artifact, { ref: result }, {}, ctx)).result).toEqual({ text: 'canary-value' });
});
