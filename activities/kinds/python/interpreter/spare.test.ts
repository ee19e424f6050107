import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { until } from '../../../../test/support/until';
import { type Ended, WarmInterpreter } from './interpreter';

const idle = new AbortController().signal;
let interpreter: WarmInterpreter;
beforeAll(async () => {
  interpreter = await WarmInterpreter.start('python3', { PATH: process.env['PATH'] });
});
afterAll(() => interpreter.close());

async function run(code: string, input = {}): Promise<unknown> {
  const task = { code, input, context: {}, job: {}, execution_id: '1', libs: null, env: {} };
  const ended: Ended = await interpreter.run(Buffer.from(JSON.stringify(task)), idle);
  return (JSON.parse(ended.answer.toString()) as { result: unknown }).result;
}

/** The process of the interpreter that waits for a task. */
async function spare(): Promise<number> {
  const [parent, me] = (await run('import os; result = [os.getppid(), os.getpid()]')) as [number, number];
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  // The one that has just answered may still be ending.
  const pids = children
    .trim()
    .split(/\s+/)
    .map(Number)
    .filter((pid) => pid !== me);
  expect(pids).toHaveLength(1);
  return pids[0]!;
}

/** A process that has ended and was not waited for is still there. */
function isThere(pid: number): boolean {
  try {
    return !/ Z /.test(fs.readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a task runs in the process that was forked before it came, and each in one of its own', async () => {
  const waiting = await spare();
  expect(await run('import os; result = os.getpid()')).toBe(waiting);
  expect(await run('import os; result = os.getpid()')).not.toBe(waiting);
});

test('a waiting process that is killed is replaced', async () => {
  const waiting = await spare();
  process.kill(waiting, 'SIGKILL');
  await until(async () => !isThere(waiting));
  expect(await run('result = 7')).toBe(7);
});

test('a task larger than a pipe arrives whole', async () => {
  expect(await run('result = len(text)', { text: 'x'.repeat(5_000_000) })).toBe(5_000_000);
});

test('an answer is told when it is there, and what the task left running is killed', async () => {
  const code = `import os, subprocess, sys, threading, time
print('said')
print('warned', file=sys.stderr)
left = subprocess.Popen(['sleep', '60']).pid
threading.Thread(target=time.sleep, args=(60,)).start()
result = {'left': left, 'me': os.getpid()}`;
  const task = { code, input: {}, context: {}, job: {}, execution_id: '1', libs: null, env: {} };
  const ended = await interpreter.run(Buffer.from(JSON.stringify(task)), idle);
  const { result } = JSON.parse(ended.answer.toString()) as { result: { left: number; me: number } };
  expect([ended.exit, ended.stdout.tail.toString(), ended.stderr.tail.toString()]).toEqual([
    0,
    'said\n',
    'warned\n',
  ]);
  await until(async () => !isThere(result.left) && !isThere(result.me));
});

test('a process that ends within its answer has not answered', async () => {
  // What is dumped is a text whose encoding ends the process.
  const code = `import os, noetl_task
noetl_task.json.dumps = lambda *_, **__: type('S', (str,), {'encode': lambda *_: os._exit(7)})()`;
  const task = { code, input: {}, context: {}, job: {}, execution_id: '1', libs: null, env: {} };
  const ended = await interpreter.run(Buffer.from(JSON.stringify(task)), idle);
  expect([ended.exit, ended.answer.toString()]).toEqual([7, '']);
});

test('random numbers differ between tasks', async () => {
  const code = 'import random; result = random.random()';
  expect(await run(code)).not.toBe(await run(code));
});
