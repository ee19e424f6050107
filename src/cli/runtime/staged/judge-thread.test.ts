/** A thread with work of any length; what the real one answers is tested in test/integration/staged.test.ts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JudgeRequest } from '../../../server/staged';
import { JudgeThread } from './judge-thread';

const ENTRY = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ content }) => {
  if (content === 'spins') for (;;);
  if (content === 'exits') process.exit(3);
  const failed = { code: content === 'later' ? undefined : 'HISTORY', message: content, retryable: false };
  parentPort.postMessage(content === 'own' ? { done: 'own' } : { failed });
});
`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-judge-'));
const entry = path.join(folder, 'thread.js');
const work = { target: { address: 'nowhere', namespace: 'none' }, data: folder };
const limits = { judgeMs: 3_000, heapMb: 64, idleMs: 60_000 };
const thread = new JudgeThread(work, limits, entry);
const judge = (content: string) => thread.judge({ content } as JudgeRequest);

beforeAll(() => fs.writeFileSync(entry, ENTRY));
afterAll(async () => {
  await thread.close();
  fs.rmSync(folder, { recursive: true });
});

test('what takes too long is given up for good, and the next one is judged', async () => {
  await expect(judge('spins')).rejects.toMatchObject({ code: 'JUDGING_TOO_EXPENSIVE', retryable: false });
  expect(await judge('own')).toBe('own');
});

test('errors keep their code; a thread that ends is one of no code, to be tried again', async () => {
  await expect(judge('unread')).rejects.toMatchObject({ code: 'HISTORY', message: 'unread' });
  await expect(judge('later')).rejects.not.toHaveProperty('code');
  await expect(judge('exits')).rejects.toThrow('the thread that judges executions ended');
  expect(await judge('own')).toBe('own');
});
