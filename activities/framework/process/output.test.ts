import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline } from '../tool/deadline';
import { type Print } from '../tool/tool';
import { runProcess } from './process';

const NEVER = { signal: new AbortController().signal, reason: () => undefined } as unknown as Deadline;

function run(command: string, print?: Print) {
  const env = { PATH: process.env['PATH']! };
  return runProcess(['sh', '-c', command], { env, cwd: undefined, print }, NEVER);
}

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('what a program printed is kept, however busy this process is when it ends', async () => {
  const prints = run('sleep 0.6; echo b');
  await sleep(100);
  // Both ends are noticed at once, that of the first before its output; and then the loop stands for longer than output
  // is waited for.
  const blocks = run('echo a', () => {
    busy(900);
    setImmediate(() => busy(700));
  });
  busy(200);
  expect((await blocks).stdout).toBe('a\n');
  expect(await prints).toMatchObject({ stdout: 'b\n', returncode: 0 });
});

test('a descendant that nobody finds, and prints for ever, is not waited for', async () => {
  const began = performance.now();
  const { stdout } = await run('env -i setsid yes & sleep 0.3');
  expect(stdout).toContain('y\n');
  expect(performance.now() - began).toBeLessThan(20_000);
});
