/**
 * A worker that is not root has the same walls. Two of its tasks, one hostile: as other users, which only root can become;
 * where these tests are not run by root, all others are about such a worker.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../test/support/process';
import { present, type Absent } from '../../../test/support/present';
import { enforced } from '../../../test/support/sandboxed';
import { call } from '../../../test/support/tool-call';

const SECRET = 'canary-of-another-task';

const WORKER = `
const of = (kind) => require(${JSON.stringify(path.join(ROOT, 'dist/activities/kinds'))} + '/' + kind + '/run.js')[kind];
const context = { signal: new AbortController().signal, heartbeat() {}, log: { debug() {}, info() {}, warn() {}, error() {} } };
(async () => {
  const outcomes = [];
  for (const call of JSON.parse(process.argv[1])) outcomes.push(await of(call.kind).run(call, context).catch((error) => ({ error })));
  await of('python').close();
  console.log(JSON.stringify(outcomes));
  process.exit();
})();`;

/** Copies of SECRET, whose halves are not joined here, in every memory that can be read; and who can be seen. */
const LOOK = `import os
hits = 0
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        for line in open(f'/proc/{pid}/maps'):
            span, rights = line.split()[:2]
            if 'r' not in rights or '[v' in line: continue
            low, high = [int(x, 16) for x in span.split('-')]
            with open(f'/proc/{pid}/mem', 'rb', 0) as file:
                file.seek(low)
                data = file.read(high - low)
            at = -1
            while (at := data.find(first.encode(), at + 1)) >= 0:
                hits += data[at + len(first):at + len(first) + len(second)] == second.encode()
    except OSError: pass
result = {'hits': hits, 'user': os.getuid(), 'processes': len([one for one in os.listdir('/proc') if one.isdigit()])}`;

test.each([12345, 65534])('as user %i', async (user) => {
  if (process.getuid?.() !== 0)
    present<object | Absent>({ skipped: 'only root can become another user', extra: true });
  await enforced('strict');
  const folder = fs.mkdtempSync('/var/tmp/noetl-user-');
  fs.chmodSync(folder, 0o777);
  const trap = path.join(folder, 'bwrap');
  for (const name of ['bwrap', 'nsenter', 'sh', 'id'])
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\necho ran > ${folder}/ran\n`, { mode: 0o755 });
  const before = fs.readdirSync(folder);
  const options = { sandbox: 'strict' };
  const env = {
    PATH: folder,
    LD_DEBUG: 'libs',
    LD_DEBUG_OUTPUT: `${folder}/written`,
    LD_PRELOAD: trap,
    GCONV_PATH: folder,
  };
  const [first, second] = [SECRET.slice(0, 12), SECRET.slice(12)];
  const calls = [
    call('python', { code: 'print(secret)\nresult = [secret] * 10' }, { options, input: { secret: SECRET } }),
    call('python', { code: 'result = 1' }, { options }),
    call('python', { code: LOOK }, { options, input: { first, second } }),
    call('shell', { cmd: '/usr/bin/id -u; id', env }, { options }),
    call('script', { code: '/usr/bin/id -u; id', env }, { options }),
  ];
  const become = ['--reuid', user, '--regid', user, '--clear-groups'].map(String);
  const worker = spawnSync('setpriv', [...become, process.execPath, '-e', WORKER, JSON.stringify(calls)], {
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    encoding: 'utf8',
  });
  const after = fs.readdirSync(folder);
  fs.rmSync(folder, { recursive: true });
  const [, , look, ...commands] = JSON.parse(worker.stdout || JSON.stringify([worker.stderr])) as Record<
    string,
    unknown
  >[];
  expect(look).toMatchObject({
    error: null,
    meta: { sandbox: 'strict' },
    result: { hits: 0, user: 65534, processes: 1 },
  });
  for (const { result } of commands)
    expect(result).toMatchObject({ stdout: expect.stringMatching(/^65534$/m) as string, returncode: 127 });
  expect(after).toEqual(before);
});
