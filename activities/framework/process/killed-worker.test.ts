/** A worker is killed (SIGKILL) in the middle of tasks: what they started ends, too. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../test/support/process';
import { ownSeconds, running } from '../../../test/support/running';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { usePython } from '../../../test/support/python-tool';
import { call, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';
import { endLeft } from './marks';

const { tool: pythonIn } = usePython();

const WORKER = `
const of = (kind) => require(${JSON.stringify(path.join(ROOT, 'dist/activities/kinds'))} + '/' + kind + '/run.js')[kind];
const context = { signal: new AbortController().signal, heartbeat() {}, log: { debug() {}, info() {}, warn() {}, error() {} } };
for (const call of JSON.parse(process.argv[1])) of(call.kind).run(call, context);
setInterval(() => undefined, 1000);`;

test.each(LEVELS)('%s: processes end', async (level) => {
  await enforced(level);
  const [plain, left] = [ownSeconds(), ownSeconds()];
  const begin = `sleep ${plain} & setsid sleep ${left} & sleep 60`;
  const inPython = `import subprocess\nsubprocess.run(["sh", "-c", ${JSON.stringify(begin)}])`;
  const calls = [
    call('python', { code: inPython }, { options: { sandbox: level } }),
    call('shell', { cmd: begin }, { options: { sandbox: level } }),
    call('script', { code: `#!/bin/sh\n${begin}` }, { options: { sandbox: level } }),
  ];
  const worker = spawn(process.execPath, ['-e', WORKER, JSON.stringify(calls)], { stdio: 'ignore' });
  await until(async () => running(plain).length === 3 && running(left).length === 3);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await until(async () => running(plain).length === 0);
  if (level !== 'none') {
    await until(async () => running(left).length === 0);
    return;
  }
  // Those of shell and script have left the group: they end when the next worker starts.
  await until(async () => running(left).length === 2);
  await endLeft();
  expect(running(left)).toEqual([]);
});

/** The soft limit of a process: its core dumps, in bytes. */
const coreLimit = (pid: number | string): string | undefined =>
  /^Max core file size\s+(\S+)/m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];

test('neither a worker of code nor its tasks write core dumps', async () => {
  const ready = `require(${JSON.stringify(path.join(ROOT, 'dist/activities/framework/process/ready.js'))}).readyForProcesses()`;
  const work = `${ready}.then(() => console.log('ready')); setInterval(() => undefined, 1000)`;
  const worker = spawn('/bin/sh', [
    '-c',
    'ulimit -c 1000 2>/dev/null; exec "$0" -e "$1"',
    process.execPath,
    work,
  ]);
  await once(worker.stdout, 'data');
  expect(coreLimit(worker.pid!)).toBe('0');
  worker.kill();
  for (const level of LEVELS) {
    await enforced(level);
    const options = { sandbox: level };
    const limit = 'grep "core file size" /proc/self/limits';
    const python = 'import resource\nresult = resource.getrlimit(resource.RLIMIT_CORE)';
    expect((await run(pythonIn, { code: python }, { options })).result).toEqual([0, 0]);
    for (const [tool, config] of [
      [shell, { cmd: limit }],
      [script, { code: limit }],
    ] as const)
      expect((await run(tool, config, { options })).result).toMatchObject({
        stdout: expect.stringMatching(/ 0 +0 /) as string,
      });
  }
});
