/**
 * What a hostile playbook looks for, and what it finds. Everything is really there: each look first succeeds without a
 * sandbox, so that a test cannot pass because there was nothing to see.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type Absent, present } from '../../../test/support/present';
import { running } from '../../../test/support/running';
import { run } from '../../../test/support/tool-call';
import { timedOut } from '../../../test/support/timed-out';
import { until } from '../../../test/support/until';
import { InterpreterPools } from '../../kinds/python/interpreter/pools';
import { pythonTool } from '../../kinds/python/run';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';
import { tasksFolder } from '../results/files';
import { whyNot } from './index';

const SECRET = 'canary-of-the-worker';
const python = pythonTool(new InterpreterPools());
/** A process of the worker, with a secret in its environment. */
let neighbour: ChildProcess;
let folder: string;
let socket: net.Server;

beforeAll(async () => {
  const why = await whyNot('standard');
  present<object | Absent>(why === undefined ? {} : { skipped: `no sandbox: ${why}`, extra: true });
  neighbour = spawn('sleep', ['600'], { env: { ...process.env, CANARY: SECRET } });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-hostile-'));
  fs.writeFileSync(path.join(folder, 'key'), SECRET);
  fs.mkdirSync(path.join(tasksFolder(), 'task-other'));
  fs.writeFileSync(path.join(tasksFolder(), 'task-other', 'rows.csv'), SECRET);
  socket = net.createServer((one) => one.end(SECRET));
  await new Promise<void>((resolve) => socket.listen(path.join(folder, 'docker.sock'), resolve));
});
afterAll(async () => {
  await python.close!();
  socket?.close();
  if (folder) fs.rmSync(folder, { recursive: true });
  fs.rmSync(path.join(tasksFolder(), 'task-other'), { recursive: true, force: true });
  neighbour?.kill();
});

const inPython = (code: string, sandbox: string, config: JsonObject = {}): Promise<Outcome> =>
  run(python, { code, ...config }, { input: { folder, files_of_all: tasksFolder() }, options: { sandbox } });
const inShell = (cmd: string, sandbox: string): Promise<Outcome> =>
  run(shell, { cmd }, { options: { sandbox } });
const inScript = (code: string, sandbox: string): Promise<Outcome> =>
  run(script, { code }, { options: { sandbox } });

/** Everything that can be read below these, as one text. */
const READ = (places: string): string => `
import glob, os
found = []
for pattern in ${places}:
    for name in glob.glob(pattern, recursive=True):
        try:
            if os.path.isfile(name): found.append(open(name, 'rb').read(1 << 20).decode('latin-1'))
        except OSError: pass
result = ''.join(found)`;
const CONNECT = (family: string, address: string): string => `
import socket
try:
    s = socket.socket(socket.${family}); s.settimeout(2); s.connect(${address}); result = s.recv(100).decode()
except OSError as error:
    result = 'nothing: ' + str(error)`;

const LEAVES = (seconds: string): string => `
import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(['sleep', '${seconds}'], start_new_session=True)
time.sleep(60)`;

const PYTHON: [string, string][] = [
  ['the environment of every process', READ(`['/proc/*/environ', '/proc/*/task/*/environ']`)],
  ['the key file', READ(`[folder + '/key']`)],
  ['the files of other tasks', READ(`[files_of_all + '/**', '/run/tasks/**', '/run/files/**']`)],
  ['a socket of the machine, as that of Docker', CONNECT('AF_UNIX', `folder + '/docker.sock'`)],
];

describe.each(PYTHON)('python: %s', (_what, code) => {
  test('is found without a sandbox, and in none with one', async () => {
    expect((await inPython(code, 'none')).result).toContain(SECRET);
    for (const level of ['standard', 'strict']) {
      const outcome = await inPython(code, level);
      expect(outcome).toMatchObject({ status: 'ok', meta: { sandbox: level } });
      expect(outcome.result).not.toContain(SECRET);
    }
  });
});

test('python: the modules that need no import are there in every sandbox', async () => {
  const modules =
    'return [datetime.date(2026, 1, 2).isoformat(), uuid.UUID(int=1).int, json.dumps([]), os.sep, sys.argv]';
  for (const level of ['standard', 'strict'])
    expect((await inPython(modules, level)).result).toEqual(['2026-01-02', 1, '[]', '/', ['']]);
});

test.each([
  ['shell', inShell],
  ['script', inScript],
])('%s: environments, key file, files of others and processes', async (_kind, runIn) => {
  const look = `cat /proc/[0-9]*/environ ${folder}/key ${tasksFolder()}/*/* /run/tasks/*/* 2>/dev/null; echo; ls -d /proc/[0-9]* | wc -l`;
  const output = async (level: string): Promise<string> =>
    String(((await runIn(look, level)).result as JsonObject)['stdout']);
  const open = await output('none');
  expect(open.split(SECRET).length).toBeGreaterThan(3);
  for (const level of ['standard', 'strict']) {
    const seen = await output(level);
    expect(seen).not.toContain(SECRET);
    expect(Number(seen.trim().split('\n').at(-1))).toBeLessThan(10);
  }
});

test('a file of the worker is not read by way of a script', async () => {
  const options = { sandbox: 'standard' };
  const file = path.join(folder, 'key');
  expect((await run(python, { script: file }, { options })).error).toMatchObject({ code: 'SANDBOX_FILE' });
  const cat = await run(script, { script: file, interpreter: 'cat' }, { options });
  expect(cat.error).toMatchObject({ kind: 'validation', code: 'SANDBOX_FILE' });
  process.env['NOETL_SANDBOX_READ'] = folder;
  const allowed = await run(script, { script: file, interpreter: 'cat' }, { options });
  delete process.env['NOETL_SANDBOX_READ'];
  expect(allowed.result).toMatchObject({ stdout: SECRET });
});

test('nothing can be mounted, made privileged or written outside of the temporary folder', async () => {
  const code = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *args):
    return call(*args) != 0
def unwritable(name):
    try: open(name, 'w').close(); return False
    except OSError: return True
result = [
    refused(libc.umount2, b'/run/tasks', 2), refused(libc.mount, b'none', b'/proc', b'proc', 0, None),
    refused(libc.umount2, b'/tmp', 2), refused(libc.sethostname, b'x', 1),
    *[unwritable(name) for name in ('/usr/x', '/etc/passwd', '/x', '/proc/sys/kernel/core_pattern', '/dev/x', '/run/x')],
    'NoNewPrivs:\\t1' in open('/proc/self/status').read(), 'CapEff:\\t0000000000000000' in open('/proc/self/status').read(),
    os.listdir('/tmp') == [], open('/tmp/mine', 'w').write('x') == 1,
]`;
  for (const level of ['standard', 'strict']) {
    // Twice: the second task finds nothing of the first.
    for (const _ of [1, 2]) expect((await inPython(code, level)).result).toEqual(Array(14).fill(true));
  }
  // Code that could make a user namespace of its own, and have every capability there, cannot uncover what is hidden either.
  const again = await inPython(
    `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.unshare(0x10000000 | 0x20000)
libc.umount2(b'/run/tasks', 2)
result = [os.path.exists('/run/tasks/task-other'), libc.mount(b'proc', b'/proc', b'proc', 0, None) == 0 and len(os.listdir('/proc')) > 100]`,
    'standard',
  );
  expect(again.result).toEqual([false, false]);
});

test('memory and processes are limited', async () => {
  process.env['NOETL_SANDBOX_MEMORY_MB'] = '300';
  const small = pythonTool(new InterpreterPools());
  try {
    const options = { sandbox: 'standard' };
    const outcome = await run(small, { code: 'x = bytearray(400 << 20)' }, { options });
    expect(outcome.error).toMatchObject({ code: 'PY_MemoryError' });
    expect((await run(small, { code: 'x = 1', memory_mb: 500 }, { options })).error!.message).toContain(
      'at most 300',
    );
    const limits = await run(shell, { cmd: 'ulimit -v; ulimit -c' }, { options });
    expect(limits.result).toMatchObject({ stdout: '307200\n0\n' });
  } finally {
    delete process.env['NOETL_SANDBOX_MEMORY_MB'];
    await small.close!();
  }
  const counted = 'import resource\nresult = resource.getrlimit(resource.RLIMIT_NPROC)';
  expect((await inPython(counted, 'standard')).result).toEqual([256, 256]);
});

test.each(['none', 'standard', 'strict'])(
  '%s: an interpreter that ran code runs no other: nothing that code leaves in it is found',
  async (sandbox) => {
    const leave = `
import builtins, json, os, sys, threading
builtins.left = json.left = 1
sys.modules['os'].environ['LEFT'] = '1'
json.dumps = None
result = os.getpid()`;
    const look = `
import builtins, json, os
result = [hasattr(builtins, 'left'), hasattr(json, 'left'), 'LEFT' in os.environ, json.dumps is None]`;
    await Promise.all([1, 2, 3].map(() => inPython(leave, sandbox)));
    for (const _ of [1, 2, 3])
      expect((await inPython(look, sandbox)).result).toEqual([false, false, false, false]);
  },
);

test.each([
  [
    'python',
    (total: number) =>
      run(python, { code: LEAVES('77711') }, { options: { sandbox: 'standard' }, timeout: { total } }),
    '77711',
  ],
  [
    'shell',
    (total: number) =>
      run(
        shell,
        { cmd: 'setsid sleep 77722 & sleep 77722' },
        { options: { sandbox: 'standard' }, timeout: { total } },
      ),
    '77722',
  ],
])('%s: a timeout ends also what left its process group', async (_kind, work, argument) => {
  let begun = false;
  const watch = setInterval(() => (begun ||= running(argument).length > 0), 20);
  const { error, meta } = await timedOut(work, () => begun);
  clearInterval(watch);
  expect([begun, error, meta]).toMatchObject([true, { code: 'TIMEOUT' }, { sandbox: 'standard' }]);
  await until(async () => running(argument).length === 0);
});
