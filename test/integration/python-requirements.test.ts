/** Packages of `libs.requirements`, from PyPI: slow, because each environment is made anew. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { context, run } from '../support/tool-call';
import { InterpreterPools } from '../../activities/kinds/python/interpreter/pools';
import { pythonTool } from '../../activities/kinds/python/run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-venvs-'));
const env = { ...process.env, NOETL_PYTHON_VENVS: folder };
const tool = pythonTool(new InterpreterPools(env));
afterAll(async () => {
  await tool.close!();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('a package is installed once, and only there; the next interpreter finds it in the cache', async () => {
  const config = {
    code: 'result = [i.inflect(3), sys.prefix]',
    libs: { requirements: ['toolz==0.12.1'], i: 'toolz', sys: 'sys' },
  };
  const code = 'result = [i.__name__, sys.prefix]';
  const both = await Promise.all([1, 2].map(() => run(tool, { ...config, code }, {}, context())));
  expect(both.map((one) => one.error)).toEqual([null, null]);
  const [name, prefix] = both[0]!.result as [string, string];
  expect([name, path.dirname(prefix)]).toEqual(['toolz', folder]);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  expect((await run(tool, { code: 'import toolz' })).error).toMatchObject({
    code: 'PY_ModuleNotFoundError',
  });
  const later = pythonTool(new InterpreterPools({ ...env, PIP_INDEX_URL: 'http://127.0.0.1:1' }));
  const started = performance.now();
  expect((await run(later, { ...config, code })).error).toBeNull();
  expect(performance.now() - started).toBeLessThan(30_000);
  await later.close!();
});

test('a list of libs holds distributions too: what nothing goes by here is installed, what is there is not', async () => {
  const before = fs.readdirSync(folder).length;
  const here = await run(tool, { code: 'result = json.__name__', libs: ['json', 'pip'] });
  expect([here.result, fs.readdirSync(folder).length]).toEqual(['json', before]);
  const libs = ['json', 'toolz==0.12.1'];
  const installed = await run(tool, { code: 'import toolz\nresult = [json.__name__, toolz.__name__]', libs });
  expect(installed).toMatchObject({ error: null, result: ['json', 'toolz'] });
  const options = await run(tool, { code: '1', libs: ['--index-url=http://evil.test'] });
  expect(options.error).toMatchObject({ code: 'INVALID_REQUIREMENTS' });
});

test('what pip cannot install says why, and leaves nothing behind', async () => {
  const offline = pythonTool(
    new InterpreterPools({ ...env, PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_RETRIES: '1' }),
  );
  const { error } = await run(offline, { code: '1', libs: { requirements: ['six==1.16.0'] } });
  expect(error).toMatchObject({ kind: 'connection', code: 'REQUIREMENTS_FAILED', retryable: true });
  expect(error!.message).toMatch(
    /^python: six==1\.16\.0 cannot be installed: .*No matching distribution found/,
  );
  const invalid = await run(offline, { code: '1', libs: { requirements: ['not a name!'] } });
  expect(invalid.error).toMatchObject({ kind: 'validation', code: 'REQUIREMENTS_FAILED', retryable: false });
  expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  await offline.close!();
});

test('a task does not wait for an installation beyond its time', async () => {
  const slow = pythonTool(new InterpreterPools(env));
  const outcome = await run(slow, { code: '1', libs: { requirements: ['six==1.16.0'] }, timeout: 0.2 });
  expect(outcome.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
  await slow.close!();
  // Nothing is left that writes.
  expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
});

test('memory_mb limits the code, says so, and not the task after it', async () => {
  const code = 'data = bytearray(size * 1024 * 1024)\nresult = len(data)';
  const { error } = await run(tool, { code, memory_mb: 128 }, { input: { size: 300 } });
  expect(error).toMatchObject({ kind: 'exception', code: 'PY_MemoryError', retryable: false });
  expect(error!.message).toBe('MemoryError (line 1 of the code) (memory_mb: 128)');
  expect((await run(tool, { code, memory_mb: '128' }, { input: { size: 20 } })).result).toBe(
    20 * 1024 * 1024,
  );
  expect((await run(tool, { code }, { input: { size: 300 } })).error).toBeNull();
  const child =
    'import subprocess, sys\nresult = subprocess.run([sys.executable, "-c", "bytearray(300 * 1024 * 1024)"]).returncode';
  expect((await run(tool, { code: child, memory_mb: 128 })).result).toBe(1);
  expect((await run(tool, { code, memory_mb: 8 })).error).toMatchObject({
    kind: 'validation',
    message: 'python: memory_mb must be at least 64, what Python itself needs, not 8',
  });
});
