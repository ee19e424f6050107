import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { usePython } from '../../../test/support/python-tool';
import { context, run as runWith } from '../../../test/support/tool-call';
import { InterpreterPools } from './interpreter/pools';
import { pythonTool } from './run';

const { tool, code, result } = usePython();

describe('failures', () => {
  test('an exception tells type, message, line and traceback, and keeps stdout', async () => {
    const outcome = await code('print("before")\ndef f():\n    raise ValueError("bad é")\nf()');
    expect(outcome.error).toMatchObject({
      kind: 'exception',
      code: 'PY_ValueError',
      message: 'ValueError: bad é (line 3 of the code)',
      retryable: false,
    });
    expect(outcome.py).toMatchObject({ exception_type: 'ValueError', stdout: 'before\n' });
    expect(outcome.py!.traceback).toContain('    raise ValueError("bad é")');
    expect(outcome.py!.traceback).not.toContain('noetl_');
  });

  test('a syntax error is a validation error with its line', async () => {
    const outcome = await code('x = 1\nif x\n  pass');
    expect(outcome.error).toMatchObject({ kind: 'validation', code: 'PY_SyntaxError' });
    expect(outcome.error!.message).toContain('line 2 of the code');
    expect((await code('return 1\nyield 2')).error).toMatchObject({
      kind: 'validation',
      code: 'PY_SyntaxError',
    });
    expect((await code('  x = 1\n  result = x')).result).toBe(1);
    expect((await code('  ')).error).toMatchObject({
      kind: 'validation',
      message: 'python: no code provided (code or script)',
    });
  });

  test.each([
    ['sys.exit(3)', 'import sys\nsys.exit(3)', 'PY_SystemExit'],
    ['os._exit(7)', 'import os\nos._exit(7)', 'PY_EXIT_7'],
    ['os._exit(0)', 'import os\nos._exit(0)', 'PY_EXIT_0'],
    ['SIGKILL', 'import os\nos.kill(os.getpid(), 9)', 'PY_SIGKILL'],
    ['a segfault', 'import ctypes\nctypes.string_at(0)', 'PY_SIGSEGV'],
    ['KeyboardInterrupt', 'raise KeyboardInterrupt', 'PY_KeyboardInterrupt'],
    ['endless recursion', 'def f(): return f()\nf()', 'PY_RecursionError'],
    [
      'an exception without a text',
      'class E(Exception):\n  def __str__(self): raise ValueError\nraise E',
      'PY_E',
    ],
  ])('%s is a clean outcome, and the next task runs', async (_name, text, expected) => {
    expect((await code(text)).error).toMatchObject({ kind: 'exception', code: expected });
    expect(await result('result = 1')).toBe(1);
  });

  test('sys.exit() ends the code early without failing it', async () => {
    expect(await result('import sys\nresult = 5\nsys.exit()\nresult = 6')).toBe(5);
  });

  test('a hang ends by the timeout, with what was printed, and runs finally', async () => {
    const file = path.join(os.tmpdir(), `noetl-finally-${process.pid}`);
    const text = `import time\nprint("started")\ntry:\n    time.sleep(60)\nfinally:\n    open(${JSON.stringify(file)}, "w").close()`;
    const outcome = await code(text, {}, {}, { timeout: { total: 0.5 } });
    expect(outcome.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', retryable: true });
    expect(outcome.py!.stdout).toBe('started\n');
    expect(fs.existsSync(file)).toBe(true);
    fs.rmSync(file);
  });

  test('code that ignores every stop is killed with its children', async () => {
    const text = `
import time, subprocess, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "61"])
print(child.pid)
while True: time.sleep(1)`;
    const outcome = await code(text, {}, {}, { timeout: { total: 0.5 } });
    expect(outcome.error).toMatchObject({ code: 'TIMEOUT' });
    expect(await gone(Number(outcome.py!.stdout))).toBe(true);
  });

  test('children that outlive the code are ended and do not delay it', async () => {
    const started = Date.now();
    const outcome = await code('import subprocess\nresult = subprocess.Popen(["sleep", "62"]).pid');
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(await gone(outcome.result as number)).toBe(true);
    expect(await result('import os\nif os.fork() == 0:\n    x = 1\nresult = 9')).toBe(9);
  });

  test('huge output keeps its end', async () => {
    const outcome = await code(
      'import sys\nfor i in range(300000): print(i)\nprint("e", file=sys.stderr)\nresult = 1',
    );
    expect(outcome.result).toBe(1);
    expect(outcome.py!.stdout!.length).toBeLessThan(70_000);
    expect(outcome.py!.stdout).toMatch(/^\[… \d+ bytes of output dropped …\]/);
    expect(outcome.py!.stdout).toMatch(/299999\n$/);
    expect((outcome.py as unknown as { stderr: string }).stderr).toBe('e\n');
  });

  test('a large result arrives whole', async () => {
    const outcome = await code('result = ["x" * 1000] * 5000');
    expect(JSON.stringify(outcome.result)).toHaveLength(5000 * 1003 + 1);
  });

  test('cancellation stops the process; the next task runs', async () => {
    const ctx = context();
    setTimeout(() => ctx.controller.abort(), 300);
    const started = Date.now();
    const outcome = await runWith(tool, { code: 'import time\ntime.sleep(60)' }, {}, ctx);
    expect(outcome.error).toMatchObject({ kind: 'cancelled' });
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(await result('result = 1')).toBe(1);
  });

  test('a killed interpreter is replaced; its task is lost and says so', async () => {
    const outcome = await code('import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(60)');
    expect(outcome.error).toMatchObject({ kind: 'exception', code: 'PY_LOST' });
    expect(await result('result = 2')).toBe(2);
  });

  test('a missing Python is an outcome that says so', async () => {
    const other = pythonTool(new InterpreterPools({ ...process.env, NOETL_PYTHON: '/no/such/python' }));
    const outcome = await runWith(other, { code: 'result = 1' });
    expect(outcome.error).toMatchObject({ code: 'PYTHON_NOT_FOUND' });
    expect(outcome.error!.message).toContain("'/no/such/python'");
    const broken = pythonTool(new InterpreterPools({ ...process.env, NOETL_PYTHON: '/bin/false' }));
    expect((await runWith(broken, { code: 'result = 1' })).error!.message).toContain('exit code 1');
  });
});

/** A killed process needs a moment on a busy machine. */
async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && alive(pid); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return !alive(pid);
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie, reaped by nobody yet, is not alive.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
