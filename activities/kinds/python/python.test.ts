import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { context, run as runWith } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome, type TaskCall } from '../../../src/plan';
import { MAX_ANSWER_BYTES } from './interpreter/interpreter';
import { InterpreterPools } from './interpreter/pools';
import { pythonTool } from './run';

const tool = pythonTool(new InterpreterPools());
afterAll(() => tool.close!());

const code = (
  text: string,
  input: JsonObject = {},
  config: JsonObject = {},
  more: Partial<TaskCall> = {},
): Promise<Outcome> => runWith(tool, { code: text, ...config }, { input, ...more });
const result = async (
  text: string,
  input: JsonObject = {},
  more: Partial<TaskCall> = {},
): Promise<unknown> => {
  const outcome = await code(text, input, {}, more);
  expect(outcome.error).toBeNull();
  return outcome.result;
};

describe('what code sees', () => {
  test('inputs are globals, also inside helper functions and comprehensions', async () => {
    const text = `
def scaled(x):
    return x * factor
result = [scaled(item) for item in items if item > low]`;
    expect(await result(text, { items: [1, 2, 3], factor: 10, low: 1 })).toEqual([20, 30]);
  });

  test('input_data, args, context, execution_id and job are there; an input of that name wins', async () => {
    const text = `result = [input_data['a'], args['a'], context.get('fetch'), execution_id, job['idempotency_key'], context['execution_id']]`;
    const more = { context: { fetch: { rows: 2 } } };
    const key = '287146398761160704/step#1.python~1';
    expect(await result(text, { a: 1 }, more)).toEqual([
      1,
      1,
      { rows: 2 },
      '287146398761160704',
      key,
      '287146398761160704',
    ]);
    expect(
      await result('result = [input_data, context, args]', { input_data: 'mine', context: 2, args: [3] }),
    ).toEqual(['mine', 2, [3]]);
  });

  test('an input may be called like a builtin', async () => {
    expect(await result('result = input["x"] + id', { input: { x: 1 }, id: 41 })).toBe(42);
  });

  test('a task sees nothing of the tasks before it', async () => {
    await code('import os, json\nleft = 1\nos.environ["LEFT"] = "1"\njson.dumps = None\nos.chdir("/")');
    expect(
      await result(
        'import os, json\nresult = ["left" in globals(), os.environ.get("LEFT"), json.dumps is None, os.getcwd() == "/"]',
      ),
    ).toEqual([false, null, false, false]);
  });

  test('the worker environment stays with the worker, but for what is needed', async () => {
    process.env['NOETL_CREDENTIAL_CANARY'] = 'canary-secret';
    expect(
      await result(
        'import os\nresult = ["PATH" in os.environ, [v for v in os.environ.values() if "canary" in v]]',
      ),
    ).toEqual([true, []]);
    const outcome = await code('import os\nresult = os.environ["STAGE"]', {}, { env: { STAGE: 'test' } });
    expect(outcome.result).toBe('test');
  });

  test('libs: a mapping of aliases, members of modules, or a list', async () => {
    const text = 'result = [js.dumps({}), fmt.__name__, p.sep]';
    const libs = { js: 'json', fmt: { from: 'textwrap', import: 'dedent' }, p: 'os.path' };
    expect((await code(text, {}, { libs })).result).toEqual(['{}', 'dedent', '/']);
    const list = await code(
      'def main():\n    return [math.floor(1.5), js.loads("1"), os.path.sep]',
      {},
      { libs: ['math', 'json as js', 'os.path'] },
    );
    expect(list.result).toEqual([1, 1, '/']);
    expect((await code('result = 1', {}, { libs: { x: 'no_such_module' } })).error).toMatchObject({
      code: 'PY_ModuleNotFoundError',
    });
  });
});

describe('the result', () => {
  test('is the variable result; without one it is null', async () => {
    expect(await result('result = {"n": 1}')).toEqual({ n: 1 });
    expect(await result('x = 1')).toBeNull();
    expect(await result('x = 1', { result: 'an input' })).toBeNull();
    expect(await result('result = result + "!"', { result: 'an input' })).toBe('an input!');
  });

  test('main() is called with what its parameters name, sync or async', async () => {
    expect(
      await result('def main(a, b=2, *, c, **rest):\n    return [a, b, c, rest]', { a: 1, c: 3, d: 4 }),
    ).toEqual([1, 2, 3, { d: 4 }]);
    expect(
      await result(
        'import asyncio\nasync def main(fetch):\n    await asyncio.sleep(0)\n    return fetch',
        {},
        { context: { fetch: 7 } },
      ),
    ).toBe(7);
    expect(await result('def main(input_data):\n    return input_data', { a: 1 })).toEqual({ a: 1 });
    const missing = await code('def main(a, zz):\n    return a', { a: 1 });
    expect(missing.error).toMatchObject({
      code: 'PY_TypeError',
      message: expect.stringContaining("main() needs 'zz'") as string,
    });
  });

  test('main() is not called again by code that called it', async () => {
    expect(
      await result('calls = []\ndef main(x):\n    calls.append(1)\n    return len(calls)\nresult = main(5)'),
    ).toBe(1);
    expect(
      await result('def main():\n    return 3\nif __name__ == "__main__":\n    result = main() * 2'),
    ).toBe(6);
  });

  test('return goes before main(), main() before result', async () => {
    expect(await result('result = 1\ndef main():\n    return 2\nreturn 3')).toBe(3);
    expect(await result('result = 1\ndef main():\n    return 2')).toBe(2);
    expect(await result('result = 1\ndef main():\n    pass')).toBe(1);
  });

  test('a top-level return keeps one globals dict: helpers, comprehensions, loops, imports', async () => {
    const text = `
from __future__ import annotations
import json as js
from math import *
total: int = 0
limit: int
def add(x):
    global total
    total += x
    return total
class Box:
    size = floor(2.5)
for i, item in enumerate(items):
    if item is None:
        return {"early": i, "seen": total}
    add(item)
with open("/dev/null") as sink:
    squares = [add(0) * k for k in range(2) if (last := k) >= 0]
try:
    missing_name
except NameError as error:
    kind = type(error).__name__
return {"total": total, "squares": squares, "last": last, "kind": kind, "size": Box.size, "js": js.dumps([i])}`;
    expect(await result(text, { items: [1, 2] })).toEqual({
      total: 3,
      squares: [0, 3],
      last: 1,
      kind: 'NameError',
      size: 2,
      js: '[1]',
    });
    expect(await result(text, { items: [5, null] })).toEqual({ early: 1, seen: 5 });
  });

  test('a bare return ends the code; result stands', async () => {
    expect(await result('result = 1\nif n:\n    return\nresult = 2', { n: 1 })).toBe(1);
    expect(await result('result = 1\nif n:\n    return\nresult = 2', { n: 0 })).toBe(2);
    expect(await result('result = 1\nreturn None')).toBeNull();
  });

  test('await works outside of functions', async () => {
    expect(await result('import asyncio\nawait asyncio.sleep(0)\nresult = 4')).toBe(4);
  });

  test('becomes JSON: dates, decimals, sets, bytes, big integers, NaN', async () => {
    const text = `
import datetime, decimal, uuid, enum, dataclasses, collections, pathlib
class Color(enum.Enum): RED = 'red'
@dataclasses.dataclass
class P: x: int
Pair = collections.namedtuple('Pair', 'a b')
result = {
  'at': datetime.datetime(2026, 11, 21, 8, 52, 2, 5, tzinfo=datetime.timezone.utc), 'day': datetime.date(2026, 1, 2),
  'dec': [decimal.Decimal('1.50'), decimal.Decimal('7'), decimal.Decimal('0.12345678901234567890')],
  'id': uuid.UUID(int=1), 'set': {3, 1, 2}, 'bytes': b'hi', 'big': 2**63, 'small': 2**53 - 1,
  'nan': [float('nan'), float('inf')], 'enum': Color.RED, 'dc': P(1), 'nt': Pair(1, 2), 1: True, None: 'k', 'path': pathlib.Path('/a'),
  'keys': {'a': 1}.keys(), 'delta': datetime.timedelta(minutes=1),
}`;
    expect(await result(text)).toEqual({
      at: '2026-11-21T08:52:02.000005+00:00',
      day: '2026-01-02',
      dec: [1.5, 7, '0.12345678901234567890'],
      id: '00000000-0000-0000-0000-000000000001',
      set: [1, 2, 3],
      bytes: 'aGk=',
      big: '9223372036854775808',
      small: 9007199254740991,
      nan: [null, null],
      enum: 'red',
      dc: { x: 1 },
      nt: [1, 2],
      '1': true,
      null: 'k',
      path: '/a',
      keys: ['a'],
      delta: 60,
    });
  });

  test('far beyond every limit it is refused unread: reading it would hold up all tasks of the worker', async () => {
    const { error } = await code(`result = 'x' * (${MAX_ANSWER_BYTES} + 1)`);
    expect(error).toMatchObject({ kind: 'validation', code: 'RESULT_TOO_LARGE', retryable: false });
  });

  test('what has no JSON form is an error that names type and place', async () => {
    const object = await code('class Foo: pass\nresult = {"items": [1, Foo()]}');
    expect(object.error).toMatchObject({ kind: 'validation', code: 'RESULT_NOT_JSON' });
    expect(object.error!.message).toContain('result.items[1] is of type __main__.Foo');
    expect((await code('result = []\nresult.append(result)')).error!.message).toContain(
      'result[0] contains itself',
    );
    expect((await code('result = (x for x in [1])')).error!.message).toContain('generator');
    expect((await code('result = {(1, 2): 3}')).error!.message).toContain('a key of type tuple');
  });
});

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

describe('script', () => {
  test('is read from a file, over http, or inline', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-script-'));
    fs.writeFileSync(path.join(folder, 's.py'), 'result = n + 1');
    const server = http.createServer((request, response) => {
      response.writeHead(request.url === '/s.py' ? 200 : 404).end('result = n + 2');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const script = (value: JsonObject): Promise<Outcome> =>
      runWith(tool, { script: value }, { input: { n: 1 } });
    expect((await script({ uri: path.join(folder, 's.py'), source: { type: 'file' } })).result).toBe(2);
    expect((await script({ uri: `${url}/s.py`, source: { type: 'http' } })).result).toBe(3);
    expect((await script({ uri: 's.py', source: { type: 'http', endpoint: url } })).result).toBe(3);
    expect((await script({ source: { type: 'inline', code: 'result = n + 3' } })).result).toBe(4);
    expect((await script({ uri: path.join(folder, 'none.py') })).error).toMatchObject({
      kind: 'not_found',
      code: 'SCRIPT_NOT_FOUND',
    });
    expect((await script({ uri: `${url}/none.py` })).error).toMatchObject({
      kind: 'not_found',
      code: 'HTTP_404',
    });
    server.close();
    fs.rmSync(folder, { recursive: true });
  });
});

describe('speed', () => {
  test('1,000 tasks pay no interpreter start each', async () => {
    await code('result = 0');
    const before = performance.now();
    for (let n = 0; n < 5; n++) spawnSync('python3', ['-c', 'import json, logging, urllib.request']);
    const start = (performance.now() - before) / 5;
    const started = performance.now();
    for (let n = 0; n < 100; n++) await code('result = n', { n });
    await Promise.all(Array.from({ length: 900 }, (_, n) => result('result = n', { n })));
    // Compared, because a busy machine slows both.
    expect((performance.now() - started) / 1000).toBeLessThan(start / 2);
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
