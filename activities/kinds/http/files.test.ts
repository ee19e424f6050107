/** Bodies that are files: sent in parts, sent as they are, saved. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import zlib from 'node:zlib';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { http as tool } from './run';

let folder: string;
let server: http.Server;
let url: string;
let answer: http.RequestListener;
/** The last request: its headers, and its body as the standard library of the web reads it. */
let last: { headers: http.IncomingHttpHeaders; body: Buffer };

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-http-'));
  server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      last = { headers: request.headers, body: Buffer.concat(pieces) };
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await tool.close!();
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => (answer = (_request, response) => response.end()));

const send = (config: JsonObject, ctx = context()): Promise<Outcome> =>
  run(tool, { url, ...config }, {}, ctx);
const file = (name: string, content: string | Buffer): string => {
  fs.writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
};
const received = (): Promise<FormData> =>
  new Response(new Uint8Array(last.body), {
    headers: { 'content-type': last.headers['content-type']! },
  }).formData();

test('files and fields are sent as multipart, with names that need quoting', async () => {
  const bytes = randomBytes(200_000);
  const files: JsonObject = {
    'a "b"': file('a.bin', bytes),
    many: [{ content: 'one', filename: 'ü.txt', content_type: 'text/plain' }, { content_base64: 'aGk=' }],
    doc: { content: { x: 1 }, content_type: 'application/json' },
  };
  const headers = { 'Content-Type': 'multipart/form-data' };
  const outcome = await send({
    method: 'POST',
    form: { title: 'x', tags: ['1', '2'], none: null },
    files,
    headers,
  });
  expect(outcome.error).toBeNull();
  expect(last.headers['content-length']).toBe(String(last.body.length));
  const form = await received();
  expect([form.get('title'), form.getAll('tags'), form.has('none')]).toEqual(['x', ['1', '2'], false]);
  const sent = form.get('a "b"') as File;
  expect([sent.name, Buffer.from(await sent.arrayBuffer()).equals(bytes)]).toEqual(['a.bin', true]);
  const many = form.getAll('many') as File[];
  expect(many.map((one) => [one.name, one.type])).toEqual([
    ['ü.txt', 'text/plain'],
    ['many', 'application/octet-stream'],
  ]);
  expect(await (form.get('doc') as File).text()).toBe('{"x":1}');
});

test('a list names the field of each file; a redirect that keeps the method sends all of it again', async () => {
  answer = (request, response) =>
    request.url === '/first' ? response.writeHead(307, { location: '/second' }).end() : response.end();
  const files = [{ field: 'up', path: file('up.txt', 'content') }];
  expect((await send({ url: `${url}/first`, method: 'PUT', files })).error).toBeNull();
  expect(await ((await received()).get('up') as File).text()).toBe('content');
});

test('bytes and files as bodies', async () => {
  await send({ method: 'PUT', body_base64: '/wA=', headers: { 'content-type': 'image/png' } });
  expect([last.headers['content-type'], last.body]).toEqual(['image/png', Buffer.from([255, 0])]);
  const big = randomBytes(3_000_000);
  await send({ method: 'PUT', body_file: file('big.bin', big) });
  expect(last.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '3000000',
  });
  expect(last.body.equals(big)).toBe(true);
});

test.each<[JsonObject, string, string]>([
  [{ files: { a: '/no/such' } }, 'FILE_NOT_FOUND', 'the file /no/such cannot be read (ENOENT)'],
  [{ body_file: '/no/such' }, 'FILE_NOT_FOUND', 'the file /no/such cannot be read (ENOENT)'],
  [{ files: { a: {} } }, 'INVALID_FILES', 'files.a needs one of `path`, `content` and `content_base64`'],
  [{ files: [{ path: 'x' }] }, 'INVALID_FILES', 'files[0] needs a `field`'],
  [{ files: 'x' }, 'INVALID_FILES', 'files must be a mapping or a list, not a string'],
])('%j is refused', async (config, code, message) => {
  expect((await send({ method: 'POST', ...config })).error).toMatchObject({
    code,
    message: `http: ${message}`,
  });
});

const MEGABYTES = 150;

/** Mebibytes in buffers that somebody still uses. */
function liveBuffers(): number {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers / 2 ** 20;
}

test('an answer is saved, unpacked, in bounded memory, whole or not at all', async () => {
  // Much is unpacked from little, which takes a tenth of the time that noise takes to be packed.
  const piece = Buffer.alloc(1024 * 1024, randomBytes(1024));
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-thing', 'content-encoding': 'gzip' });
    const gzip = zlib.createGzip({ level: 1 });
    gzip.pipe(response);
    let left = MEGABYTES;
    const more = (): void => {
      while (left-- > 0) if (!gzip.write(piece)) return void gzip.once('drain', more);
      gzip.end();
    };
    more();
  };
  const live = [liveBuffers()];
  // Collecting takes long in a process that has run many tests: a tenth of the time at most.
  const measure = (): void => {
    const began = performance.now();
    live.push(liveBuffers());
    measuring = setTimeout(measure, 10 * (performance.now() - began));
  };
  let measuring = setTimeout(measure, 50);
  const target = path.join(folder, 'new/folder/thing.bin');
  const outcome = await send({ save_to: target });
  clearTimeout(measuring);
  const hash = createHash('sha256');
  for (let n = 0; n < MEGABYTES; n++) hash.update(piece);
  expect(outcome.result).toMatchObject({
    status_code: 200,
    data: {
      path: target,
      bytes: MEGABYTES * 1024 * 1024,
      sha256: hash.digest('hex'),
      content_type: 'application/x-thing',
    },
  });
  expect(live.length).toBeGreaterThan(1);
  expect(Math.max(...live) - live[0]!).toBeLessThan(MEGABYTES / 3);
  const limited = await send({ save_to: path.join(folder, 'limited.bin'), max_response_bytes: 5_000_000 });
  expect(limited.error).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('limited'))).toEqual([]);
});

test('an answer that is cut, refused or cannot be written leaves no file', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half');
    setTimeout(() => response.destroy(), 20);
  };
  const cut = await send({ save_to: path.join(folder, 'cut.bin') });
  expect(cut.error).toMatchObject({ kind: 'connection', retryable: true });
  answer = (_request, response) => response.writeHead(404).end('{"why": "gone"}');
  const missing = await send({ save_to: path.join(folder, 'cut.bin') });
  expect(missing).toMatchObject({ error: { code: 'HTTP_404' }, result: { data: { why: 'gone' } } });
  answer = (_request, response) => response.end('x');
  expect((await send({ save_to: folder })).error).toMatchObject({
    code: 'FILE_UNWRITABLE',
    retryable: false,
  });
  expect(fs.readdirSync(folder).filter((name) => /cut|partial/.test(name))).toEqual([]);
});

test('bytes say what they are; HEAD, 204 and an empty body are null', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0xff]));
  expect((await send({})).result).toMatchObject({
    data: 'if8=',
    data_encoding: 'base64',
    content_type: 'image/png',
  });
  answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end();
  expect((await send({ method: 'HEAD' })).result).toMatchObject({ status_code: 200, data: null });
  answer = (_request, response) => response.writeHead(204).end();
  expect((await send({ method: 'DELETE' })).result).toMatchObject({ status_code: 204, data: null });
});

test('connections are used again', async () => {
  let connections = 0;
  server.on('connection', () => connections++);
  for (let n = 0; n < 20; n++) await send({});
  expect(connections).toBeLessThanOrEqual(1);
});
