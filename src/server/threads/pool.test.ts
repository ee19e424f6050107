import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../../test/support/present';
import { until } from '../../../test/support/until';
import { type ThreadLimits, ThreadPool } from './pool';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pool-'));
const entry = path.join(folder, 'thread.cjs');
const SERVE = path.resolve(__dirname, '../../../dist/src/server/threads/serve-jobs.js');
fs.writeFileSync(
  entry,
  `const { threadId } = require('node:worker_threads');
require(${JSON.stringify(SERVE)}).serveJobs({
  waits: async (name, host) => (await host.ask('answer', name), threadId),
  // Nothing interrupts it.
  works: async (rounds, host) => {
    await host.ask('answer', 'works');
    require('node:crypto').pbkdf2Sync('a', 'b', rounds, 64, 'sha512');
    return threadId;
  },
});`,
);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

type Jobs = { waits: (name: string) => number; works: (ms: number) => number };

function poolOf(limits: Partial<ThreadLimits>): ThreadPool<Jobs> {
  const refuse = (what: unknown): Error => new Error(String(what));
  const all = {
    jobMs: 30_000,
    heapMb: 64,
    threads: 2,
    jobsPerCaller: 100,
    tooLarge: refuse,
    tooMany: refuse,
  };
  return new ThreadPool<Jobs>({}, { ...all, ...limits }, entry);
}

test('who leaves a shared thread does not end the others on it, however late its host answers', async () => {
  const pool = poolOf({ threads: 2, jobsPerThread: 8 });
  const leave = new AbortController();
  let questions = 0;
  // Longer than the grace: as a host that is busy.
  const late = { answer: () => (questions++, sleep(700)) };
  const left = pool.run('waits', 'leaves', 'a', { answers: late, signal: leave.signal });
  const stays = [1, 2, 3].map((n) => pool.run('waits', `stays ${n}`, 'a', { answers: late }));
  await until(() => Promise.resolve(questions === 4));
  leave.abort();
  await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(new Set(await Promise.all(stays)).size).toBeLessThanOrEqual(2);
  pool.close();
});

const TASKS = '/proc/self/task';

test('threads that were told to end count until they are gone', async () => {
  present(fs.existsSync(TASKS) ? TASKS : { skipped: `no ${TASKS}`, extra: true });
  const pool = poolOf({ threads: 2 });
  const threads = (): number => fs.readdirSync(TASKS).length;
  // Those of Node itself are there.
  await pool.run('works', 1, 'a', { answers: { answer: () => undefined } });
  const before = threads() - 1;
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, threads() - before)), 2);
  for (let n = 0; n < 3; n++) {
    const leave = new AbortController();
    const begun = new Promise<void>((resolve) => {
      const answers = { answer: () => resolve() };
      pool.run('works', 1_500_000, 'a', { signal: leave.signal, answers }).catch(() => undefined);
    });
    await begun;
    leave.abort();
    await sleep(400);
  }
  expect(await pool.run('works', 1, 'a', { answers: { answer: () => undefined } })).toBeGreaterThan(0);
  clearInterval(look);
  expect(most).toBeLessThanOrEqual(2);
  pool.close();
});
