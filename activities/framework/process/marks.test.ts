/** What leaves its task's process group, without a sandbox, ends with the task. */
import { spawn } from 'node:child_process';
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { ownSeconds as seconds, running } from '../../../test/support/running';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';
import { endLeft, endMarked, MARK, newMark } from './marks';

/** Ways to leave, as commands that begin a `sleep`. */
const WAYS: Record<string, (sleep: string) => string> = {
  'a session of its own': (sleep) => `setsid ${sleep} >/dev/null 2>&1 &`,
  'a daemon': (sleep) => `setsid sh -c '(${sleep} </dev/null >/dev/null 2>&1 &)'`,
  'a family that forks for a while': (sleep) =>
    `setsid sh -c 'for i in 1 2 3 4 5 6 7 8 9; do (setsid ${sleep} & sleep 0.02; setsid ${sleep} &) & done' >/dev/null 2>&1 &`,
  'one that ignores signals': (sleep) => `setsid sh -c 'trap "" TERM HUP INT; ${sleep}' >/dev/null 2>&1 &`,
};
const KINDS: Record<
  string,
  (code: string, more: Partial<TaskCall>, signal?: AbortSignal) => Promise<unknown>
> = {
  shell: (cmd, more, signal) => run(shell, { cmd }, more, { ...context(), ...(signal && { signal }) }),
  script: (code, more, signal) =>
    run(script, { code: `#!/bin/sh\n${code}` }, more, { ...context(), ...(signal && { signal }) }),
};

describe.each(Object.entries(KINDS))('%s', (_kind, runs) => {
  test.each(Object.entries(WAYS))('%s', async (_way, leave) => {
    const sleep = seconds();
    const code = leave(`sleep ${sleep}`);
    // The end of the task, its failure, its timeout, its cancellation.
    await runs(`${code}\nsleep 0.2`, {});
    expect(running(sleep)).toEqual([]);
    await runs(`${code}\nsleep 0.2\nexit 3`, {});
    expect(running(sleep)).toEqual([]);
    await runs(`${code}\nsleep 60`, { timeout: { total: 0.5 } });
    expect(running(sleep)).toEqual([]);
    const cancel = new AbortController();
    const cancelled = runs(`${code}\nsleep 60`, {}, cancel.signal);
    await until(async () => running(sleep).length > 0);
    cancel.abort();
    await cancelled;
    expect(running(sleep)).toEqual([]);
  });
});

test('a task ends nothing of another one', async () => {
  const sleep = seconds();
  const ctx = context();
  const other = run(shell, { cmd: `setsid sleep ${sleep} & wait` }, {}, ctx);
  await until(async () => running(sleep).length > 0);
  await run(shell, { cmd: 'setsid sleep 60 &' });
  expect(running(sleep)).not.toEqual([]);
  ctx.controller.abort();
  await other;
  expect(running(sleep)).toEqual([]);
});

test('the environment of the command has the mark, whatever the author sets', async () => {
  const outcome = await run(shell, { cmd: `echo $${MARK}`, env: { [MARK]: 'mine' } });
  expect((outcome.result as JsonObject)['stdout']).toMatch(/^\d+\.\d+\.\d+\.[0-9a-f]{24}\.*\n$/);
});

test('what tasks of a killed worker left behind ends when the next one starts; that of others does not', async () => {
  const [left, others] = [seconds(), seconds()];
  const detached = { detached: true, stdio: 'ignore' } as const;
  const mark = newMark();
  const gone = mark.replace(/\.\d+\.\d+\./, `.${process.pid}.1.`); // the same number, begun at another time
  const elsewhere = mark.replace(/^\d+\.\d+/, `1.${process.pid}`); // another namespace of processes
  spawn('sleep', [left], { ...detached, env: { [MARK]: gone } });
  const alive = [mark, elsewhere].map((one) =>
    spawn('sleep', [others], { ...detached, env: { [MARK]: one } }),
  );
  await until(async () => running(left).length + running(others).length === 3);
  await endLeft();
  expect(running(left)).toEqual([]);
  expect(running(others)).toHaveLength(2);
  await endMarked(mark);
  expect(running(others)).toEqual([alive[1]!.pid]);
  alive[1]!.kill();
});
