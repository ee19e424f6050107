/** Who is to blame when a process dies: with a stand-in that dies when it is told to. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DuckdbProcess, StatementError } from './process';

const FRAMES = path.resolve(__dirname, '../../../../dist/activities/kinds/duckdb/process/frames.js');
const CHILD = `
const { DuckdbFrameReader, sendFrame } = require(${JSON.stringify(FRAMES)});
const channel = new (require('node:net').Socket)({ fd: 3, readable: true, writable: true });
const reader = new DuckdbFrameReader();
channel.on('data', (piece) => {
  for (const { meta, text } of reader.push(piece)) {
    if (meta.op === 'abort') { process.stderr.write('last words\\n'); process.kill(process.pid, meta.by); }
    if (meta.op === 'fail') sendFrame(channel, { id: meta.id, error: { message: 'Catalog Error: no' } });
    if (meta.op === 'refuse') sendFrame(channel, { id: meta.id, error: { message: 'm', code: 'INVALID_INPUT' } });
    if (meta.op === 'echo') sendFrame(channel, { id: meta.id, n: meta.n }, text);
    if (meta.op === 'garbage') channel.write(Buffer.alloc(64, 255));
  }
});
sendFrame(channel, { ready: true });
`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-blame-'));
const entry = path.join(folder, 'child.js');
beforeAll(() => fs.writeFileSync(entry, CHILD));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const start = async (): Promise<DuckdbProcess> => {
  const one = await new DuckdbProcess({ around: ([node]) => [node!, entry], env: {} }).ready();
  one.keepsAlive(true);
  return one;
};
/** Requests begin when the test says so, as long as it would be until the one before is not new any more. */
const fakeTimers = (): void =>
  void jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'],
  });
const nextBegins = (): Promise<void> => jest.advanceTimersByTimeAsync(100);
afterEach(() => jest.useRealTimers());
const codes = async (asked: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(asked)).map((one) => (one.status === 'rejected' ? one.reason.code : 'ok'));

test('texts and numbers go both ways, of any size', async () => {
  const one = await start();
  const text = 'ü€😀"\\'.repeat(300_000);
  expect(await one.ask({ op: 'echo', n: 1 }, text)).toMatchObject({ meta: { n: 1 }, text });
  expect(await one.ask({ op: 'echo', n: 2 })).toMatchObject({ meta: { n: 2 }, text: '' });
  await expect(one.ask({ op: 'fail' })).rejects.toThrow(StatementError);
  await expect(one.ask({ op: 'refuse' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  one.kill();
});

test('one request that runs, or that just began beside others, is to blame', async () => {
  const alone = await start();
  await expect(alone.ask({ op: 'abort', by: 'SIGABRT' })).rejects.toMatchObject({
    code: 'DUCKDB_CRASHED',
    retryable: false,
    message: 'duckdb: the statement ended the process of DuckDB by SIGABRT: last words',
    outcome: { error: { signal: 'SIGABRT', kind: 'exception' } },
  });
  expect(alone.isAlive).toBe(false);
  await expect(alone.ask({ op: 'echo' })).rejects.toMatchObject({ code: 'DUCKDB_LOST' });
  const shared = await start();
  fakeTimers();
  const others = [shared.ask({ op: 'wait' }), shared.ask({ op: 'wait' })];
  const all = codes([...others, shared.ask({ op: 'abort', by: 'SIGSEGV' })]);
  await nextBegins();
  await nextBegins();
  expect(await all).toEqual(['DUCKDB_LOST', 'DUCKDB_LOST', 'DUCKDB_CRASHED']);
});

test('nobody is to blame for what the system kills, or what dies later, while several run', async () => {
  const killed = await start();
  const both = [killed.ask({ op: 'wait' }), killed.ask({ op: 'abort', by: 'SIGKILL' })];
  expect(await codes(both)).toEqual(['DUCKDB_LOST', 'DUCKDB_LOST']);
  const later = await start();
  fakeTimers();
  const waiting = [later.ask({ op: 'wait' }), later.ask({ op: 'wait' })];
  const lost = codes(waiting);
  await nextBegins();
  await nextBegins();
  later.kill();
  expect(await lost).toEqual(['DUCKDB_LOST', 'DUCKDB_LOST']);
});

test('a process that speaks another language is ended', async () => {
  const one = await start();
  await expect(one.ask({ op: 'garbage' })).rejects.toMatchObject({ code: 'DUCKDB_CRASHED' });
  expect(one.isAlive).toBe(false);
});

test('what does not start says why', async () => {
  fs.writeFileSync(path.join(folder, 'bad.js'), "throw new Error('cannot load this')");
  const bad = new DuckdbProcess({ around: ([node]) => [node!, path.join(folder, 'bad.js')], env: {} });
  await expect(bad.ready()).rejects.toThrow(/exit code 1/);
  await expect(new DuckdbProcess({ around: () => ['/no/such/program'], env: {} }).ready()).rejects.toThrow(
    'ENOENT',
  );
});
