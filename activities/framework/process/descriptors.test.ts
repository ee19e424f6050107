/** A worker is started with files open; tasks have none of them. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../test/support/process';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { call } from '../../../test/support/tool-call';

const SECRET = 'canary-in-a-descriptor';
/** Numbers with gaps between them: one that Node closes by itself, and two that it does not. */
const NUMBERS = [7, 60, 251];

const READ = `import os
found = []
for fd in range(3, 300):
    try: found.append(os.pread(fd, 100, 0).decode())
    except OSError: pass
`;

const WORKER = `
const of = (kind) => require(${JSON.stringify(path.join(ROOT, 'dist/activities/kinds'))} + '/' + kind + '/run.js')[kind];
const context = { signal: new AbortController().signal, heartbeat() {}, log: { debug() {}, info() {}, warn() {}, error() {} } };
(async () => {
  const outcomes = [];
  for (const call of JSON.parse(process.argv[1])) outcomes.push(await of(call.kind).run(call, context));
  await of('python').close();
  console.log(JSON.stringify(outcomes.map(({ result, error }) => error ?? result.data ?? result.stdout ?? result)));
})();`;

test.each(LEVELS)('%s: what the worker inherited is in no task', async (level) => {
  await enforced(level);
  const file = path.join(fs.mkdtempSync('/tmp/noetl-descriptors-'), 'secret');
  fs.writeFileSync(file, SECRET);
  const fd = fs.openSync(file, 'r');
  const stdio = Array.from({ length: 252 }, (_, index) =>
    index < 3 ? 'pipe' : NUMBERS.includes(index) ? fd : 'ignore',
  );
  const options = { sandbox: level };
  const calls = [
    call('python', { code: `${READ}result = found` }, { options }),
    call('shell', { cmd: `${READ}print(found)`, shell: '/usr/bin/python3' }, { options }),
    call('script', { code: `${READ}print(found)`, interpreter: '/usr/bin/python3' }, { options }),
  ];
  const probe = spawnSync('/usr/bin/python3', ['-c', `${READ}print(found)`], { stdio, encoding: 'utf8' });
  const worker = spawnSync(process.execPath, ['-e', WORKER, JSON.stringify(calls)], {
    stdio,
    encoding: 'utf8',
  });
  fs.closeSync(fd);
  fs.rmSync(path.dirname(file), { recursive: true });
  expect(probe.stdout.split(SECRET)).toHaveLength(NUMBERS.length + 1);
  const seen = JSON.parse(worker.stdout || JSON.stringify(worker.stderr)) as unknown[];
  expect(seen).toHaveLength(3);
  expect(JSON.stringify(seen)).toMatch(/\[/);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(seen.map((one) => typeof one === 'object' && one !== null && 'code' in one)).toEqual([
    false,
    false,
    false,
  ]);
});
