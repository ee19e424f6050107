/** A thread with work of any length; what the real one answers is tested in test/integration/staged.test.ts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JudgeRequest } from '../../../server/staged';
import { ThreadPool } from '../../../server/threads';
import { type JudgeJobs } from './thread';
import { JUDGING } from '.';

const ENTRY = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ job, input: { content } }) => {
  if (content === 'spins') for (;;);
  if (content === 'exits') process.exit(3);
  const refused = { code: 'HISTORY', message: content, retryable: false };
  parentPort.postMessage(content === 'own' ? { job, done: 'own' } : { job, refused });
});
`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-judge-'));
const entry = path.join(folder, 'thread.js');
const threads = new ThreadPool<JudgeJobs>({}, { ...JUDGING, jobMs: 3_000, heapMb: 64 }, entry);
const judge = (content: string) => threads.run('judge', { content } as JudgeRequest, 'staged');

beforeAll(() => fs.writeFileSync(entry, ENTRY));
afterAll(() => {
  threads.close();
  fs.rmSync(folder, { recursive: true });
});

test('what takes too long is given up for good, and the next one is judged', async () => {
  await expect(judge('spins')).rejects.toMatchObject({ code: 'JUDGING_TOO_EXPENSIVE', retryable: false });
  expect(await judge('own')).toBe('own');
});

test('errors keep their code; a thread that ends is one of no code, to be tried again', async () => {
  await expect(judge('unread')).rejects.toMatchObject({
    code: 'HISTORY',
    message: 'unread',
    retryable: false,
  });
  await expect(judge('exits')).rejects.toThrow('a thread ended under its job');
  expect(await judge('own')).toBe('own');
});
