/** Threads with work of any length; what they do for the facade is tried where it is asked for. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ToolKinds } from '../../../language/dsl';
import { type FieldType, type ToolKind } from '../../../language/kinds/declaration';
import { type ThreadLimits } from '../../threads';
import { FACADE_THREAD_LIMITS, Threads } from './threads';

/** A thread that is told how it shall do. */
const ENTRY = `
const { parentPort, workerData } = require('node:worker_threads');
const answers = new Map();
let calls = 0;
const ask = (job, ask, about) => new Promise((resolve) => {
  answers.set(++calls, resolve);
  parentPort.postMessage({ job, ask, about, call: calls });
});
parentPort.on('message', async ({ job, input, call, ...answer }) => {
  if (call) return answers.get(call)(answer);
  const say = (reply) => parentPort.postMessage({ job, ...reply });
  if (input === 'spins') for (;;);
  if (input === 'grows') for (const all = []; ;) all.push(new Array(1e5).fill(all.length));
  if (input === 'kinds') return say({ done: workerData.kinds });
  if (input === 'exits') process.exit(3);
  if (input === 'refuses') return say({ refused: { status: 422, code: 'NO', message: 'no', more: { at: 'x' } } });
  if (input === 'codes') return say({ refused: { code: 'HISTORY', message: 'is none', retryable: true, hint: [], details: {} } });
  if (input === 'crashes') return say({ crashed: new Error('of ours') });
  if (input === 'asks') {
    let sum = 0;
    for (;;) {
      const { value, failed } = await ask(job, 'more', sum);
      if (failed !== undefined) return say({ unanswered: true });
      if (value === undefined) return say({ done: sum });
      sum += value;
    }
  }
  if (typeof input === 'number') await new Promise((resolve) => setTimeout(resolve, input));
  say({ done: input });
});
`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-threads-'));
const entry = path.join(folder, 'thread.js');
let threads: Threads;
const made = (limits: Partial<ThreadLimits> = {}, kinds?: ToolKinds): Threads =>
  (threads = new Threads(
    { kinds },
    { ...FACADE_THREAD_LIMITS, jobMs: 20_000, heapMb: 64, threads: 2, jobsPerCaller: 8, ...limits },
    entry,
  ));
const run = (input: unknown, caller = 'a'): Promise<unknown> => threads.run('plan', input as never, caller);

beforeAll(() => fs.writeFileSync(entry, ENTRY));
afterEach(() => threads.close());
afterAll(() => fs.rmSync(folder, { recursive: true }));

test('a job that does not end is ended, and the next one is done', async () => {
  made({ jobMs: 300 });
  const spins = run('spins');
  const next = run('after it');
  await expect(spins).rejects.toMatchObject({ status: 422, code: 'TOO_EXPENSIVE' });
  expect(await next).toBe('after it');
});

test('so is one that takes all memory, at the cost of nobody else', async () => {
  made();
  await expect(run('grows')).rejects.toMatchObject({ status: 422, code: 'TOO_EXPENSIVE' });
  expect(await run('after it')).toBe('after it');
});

test('what a job refuses is told with all that it says; what nobody foresaw is an error of ours', async () => {
  made();
  await expect(run('refuses')).rejects.toMatchObject({ status: 422, code: 'NO', more: { at: 'x' } });
  await expect(run('crashes')).rejects.toThrow('of ours');
  await expect(run('exits')).rejects.toThrow('ended under its job');
});

test('a caller that asks a lot waits for itself only, and is refused at last', async () => {
  made({ jobsPerCaller: 4 });
  const greedy = [200, 200, 200, 200].map((ms) => run(ms, 'greedy'));
  await expect(run(1, 'greedy')).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_JOBS' });
  const done: string[] = [];
  void Promise.all(greedy).then(() => done.push('greedy'));
  await run(1, 'modest').then(() => done.push('modest'));
  await Promise.all(greedy);
  await sleep(0);
  expect(done).toEqual(['modest', 'greedy']);
  expect(await run(1, 'greedy')).toBe(1);
});

test('what runs when they are closed is told so', async () => {
  made();
  const spins = run('spins');
  threads.close();
  await expect(spins).rejects.toThrow('ended under its job');
});

test('kinds of extensions pass without what cannot: their functions', async () => {
  const shape: FieldType = { shape: () => ({ title: 'a side', fields: {}, others: 'open' }) };
  const mock = { words: {}, least: {}, wrong: () => '', bare: () => undefined, outcome: () => ({}) as never };
  const dice: ToolKind = {
    doc: 'd',
    fields: { a: '', n: '' },
    required: [],
    types: { a: shape, n: 'count' },
    mock,
  };
  made({}, new Map([['dice', dice]]));
  const { mock: _mock, ...plain } = dice;
  expect(await run('kinds')).toEqual(new Map([['dice', { ...plain, types: { a: 'any', n: 'count' } }]]));
});

test('a job asks who gave it, and fails with what was thrown there', async () => {
  made();
  const more = [1, 2, 3, undefined];
  const answers = { more: () => Promise.resolve(more.shift()) };
  expect(await threads.run('plan', 'asks' as never, 'a', { answers })).toBe(6);
  const away = Object.assign(new Error('away'), { details: 7 });
  const none = { more: () => Promise.reject(away) };
  await expect(threads.run('plan', 'asks' as never, 'a', { answers: none })).rejects.toBe(away);
  await expect(run('codes')).rejects.toMatchObject({ code: 'HISTORY', retryable: true });
});

test('one that nobody waits for any more gives its place to others', async () => {
  made({ threads: 2 });
  const left = new AbortController();
  const spins = threads.run('plan', 'spins' as never, 'a', { signal: left.signal });
  const waits = threads.run('plan', 'never' as never, 'a', { signal: left.signal });
  left.abort();
  await expect(spins).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(waits).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await run('after it')).toBe('after it');
});

test('jobs that mostly wait share threads; one that grows ends the others, and alone only itself', async () => {
  made({ threads: 2, jobsPerThread: 3, jobsPerCaller: 9 });
  let asked = 0;
  const answers = { more: () => new Promise(() => asked++) };
  const waiting = [1, 2, 3, 4].map((n) => threads.run('plan', 'asks' as never, `c${n}`, { answers }));
  for (const one of waiting) one.catch(() => undefined);
  const grows = threads.run('plan', 'grows' as never, 'b');
  await expect(grows).rejects.toMatchObject({ code: 'THREAD_LOST' });
  const ends = await Promise.race([
    Promise.any(waiting.map((one) => one.catch((error: unknown) => error))),
    sleep(60_000, undefined, { ref: false }),
  ]);
  expect(ends).toMatchObject({ code: 'THREAD_LOST', retryable: true });
  await expect(threads.run('plan', 'grows' as never, 'b', { alone: true })).rejects.toMatchObject({
    code: 'TOO_EXPENSIVE',
  });
  expect(asked).toBeGreaterThan(0);
});
