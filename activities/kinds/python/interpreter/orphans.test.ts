/** What a task leaves in sessions of its own ends with it, and everything with the interpreter or the worker. */
import { usePython } from '../../../../test/support/python-tool';
import { ownSeconds, running } from '../../../../test/support/running';
import { context, run as runWith } from '../../../../test/support/tool-call';
import { until } from '../../../../test/support/until';

const { tool, code, result } = usePython();

/** Ways to leave, as code that begins a program with the argument `SECONDS`. */
const WAYS: Record<string, string> = {
  'a session of its own': `subprocess.Popen(['sleep', SECONDS], start_new_session=True)`,
  'a daemon that closed its descriptors': `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 300)
        os.execvp('sleep', ['sleep', SECONDS])
    os._exit(0)
os.wait()`,
  'one that runs Python, in a copy of the task': `
if os.fork() == 0:
    os.setsid()
    subprocess.Popen(['sleep', SECONDS])
    time.sleep(60)`,
  'a family that forks for a while': `
subprocess.Popen(['sh', '-c', f'for i in 1 2 3 4 5 6; do (setsid sleep {SECONDS} & sleep 0.02; setsid sleep {SECONDS} &) & done'], start_new_session=True)`,
  'one without an environment': `subprocess.Popen(['sleep', SECONDS], start_new_session=True, env={})`,
};
const ENDS: Record<string, string> = {
  returns: 'result = 1',
  fails: 'raise ValueError',
  'ends its process': 'os._exit(3)',
  'is killed': 'os.kill(os.getpid(), 9)',
};
const task = (way: string, sleep: string, end: string): string =>
  `import os, subprocess, time\nSECONDS = '${sleep}'\n${way}\ntime.sleep(0.15)\n${end}`;
const gone = (sleep: string): Promise<unknown> => until(async () => running(sleep).length === 0);

describe.each(Object.entries(WAYS))('%s', (_way, way) => {
  test.each(Object.entries(ENDS))('the task %s', async (_how, end) => {
    const sleep = ownSeconds();
    await code(task(way, sleep, end));
    await gone(sleep);
  });

  test('the task times out, or is cancelled', async () => {
    const sleep = ownSeconds();
    const outcome = await code(task(way, sleep, 'time.sleep(60)'), {}, {}, { timeout: { total: 0.5 } });
    expect(outcome.error).toMatchObject({ code: 'TIMEOUT' });
    await gone(sleep);
    const ctx = context();
    const cancelled = runWith(tool, { code: task(way, sleep, 'time.sleep(60)') }, {}, ctx);
    await until(async () => running(sleep).length > 0);
    ctx.controller.abort();
    expect((await cancelled).error).toMatchObject({ kind: 'cancelled' });
    await gone(sleep);
  });
});

test('the end of a task ends nothing of one that still runs', async () => {
  const sleep = ownSeconds();
  const ways = [
    WAYS['a session of its own']!,
    WAYS['one without an environment']!,
    WAYS['a daemon that closed its descriptors']!,
  ];
  const ctx = context();
  const long = runWith(tool, { code: task(ways.join('\n'), sleep, 'time.sleep(60)') }, {}, ctx);
  await until(async () => running(sleep).length === 3);
  await code('import subprocess\nsubprocess.Popen(["sleep", "60"], start_new_session=True)');
  await code('result = 1');
  expect(running(sleep)).toHaveLength(3);
  ctx.controller.abort();
  await long;
  await gone(sleep);
});

test('the interpreter is killed', async () => {
  const sleep = ownSeconds();
  const outcome = await code(
    task(WAYS['a session of its own']!, sleep, 'os.kill(os.getppid(), 9)\ntime.sleep(60)'),
  );
  expect(outcome.error).toMatchObject({ code: 'PY_LOST' });
  await gone(sleep);
  expect(await result('result = 1')).toBe(1);
});

test('no process of a task has descriptors besides its own three', async () => {
  const text = 'import os\nresult = sorted(int(fd) for fd in os.listdir("/proc/self/fd"))';
  // The listing has one, and the answer goes to another one.
  expect(((await result(text)) as number[]).filter((fd) => fd > 2).length).toBeLessThanOrEqual(2);
});
