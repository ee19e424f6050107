import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { usePython } from '../../../test/support/python-tool';
import { run as runWith } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { MAX_ANSWER_BYTES } from './interpreter/interpreter';

const { tool, code, result } = usePython();

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

  test.each([
    ['json', 'json.dumps([1])', '[1]'],
    ['sys', 'sys.maxsize > 1', true],
    ['os', 'os.sep', '/'],
    ['datetime, the module', 'datetime.date(2026, 9, 13).isoformat()', '2026-09-13'],
    ['uuid', 'len(str(uuid.uuid4()))', 36],
  ])('%s is there without an import, also in functions', async (_, expression, value) => {
    expect(await result(`def answer():\n    return ${expression}\nresult = answer()`)).toBe(value);
    expect(await result(`return ${expression}`)).toBe(value);
  });

  test('a module that is there hides nothing: inputs, libs, imports and definitions win', async () => {
    expect(await result('result = json["a"]', { json: { a: 1 } })).toBe(1);
    const libs = { datetime: { from: 'datetime', import: 'datetime' } };
    expect((await code('result = datetime(2026, 9, 13).year', {}, { libs })).result).toBe(2026);
    expect(await result('from datetime import datetime\nresult = datetime(2026, 9, 13).year')).toBe(2026);
    expect(await result('def uuid():\n    return 7\nresult = uuid()')).toBe(7);
    const main = await code('def main(json):\n    return json');
    expect(main.error).toMatchObject({ code: 'PY_TypeError' });
  });

  test('what code does not name is not there', async () => {
    expect(await result('result = sorted({"js" + "on", "uu" + "id", "o" + "s"} & set(globals()))')).toEqual(
      [],
    );
  });

  test('`context` has the keys of the workload, under those of steps and its own', async () => {
    const context = {
      workload: { request_id: 'r-7', start: 1, ctx: 2, execution_id: 3 },
      start: { a: 1 },
      ctx: {},
    };
    const text =
      '[context[k] for k in ("request_id", "start", "ctx", "execution_id")] + [context["workload"]["start"]]';
    expect(await result(`result = ${text}`, {}, { context })).toEqual([
      'r-7',
      { a: 1 },
      {},
      '287146398761160704',
      1,
    ]);
  });

  test('main() gets a parameter without a default from the context and the workload too, and keeps its defaults', async () => {
    const context = { workload: { q: 'rome', most: 5 }, most: 7 };
    const text = 'def main(q, most=1, other=2):\n    return [q, most, other]';
    expect(await result(text, { other: 3 }, { context })).toEqual(['rome', 1, 3]);
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

  test('what is missing in pandas is null', async () => {
    const text = `
import datetime
class NaTType(datetime.datetime): pass
class NAType: pass
NaTType.__module__, NAType.__module__ = 'pandas._libs.tslibs.nattype', 'pandas._libs.missing'
result = [NaTType(2026, 1, 1), NAType(), {'a': NAType()}]`;
    expect(await result(text)).toEqual([null, null, { a: null }]);
  });

  test('a table of a library is its records, also where options have to be named', async () => {
    const text = `
class DataFrame:
    def to_dict(self, *, orient='dict'): return {'dict': {'a': {0: 1}}, 'records': [{'a': 1}]}[orient]
class Series:
    def to_dict(self): return {'a': 1}
DataFrame.__module__ = Series.__module__ = 'pandas'
result = [DataFrame(), Series()]`;
    expect(await result(text)).toEqual([[{ a: 1 }], { a: 1 }]);
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
