import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ownSeconds, running } from '../../../test/support/running';
import { timedOut } from '../../../test/support/timed-out';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { type JsonObject } from '../../../src/language/plan';
import { script as tool } from './run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-run-script-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const ok = async (config: JsonObject, input: JsonObject = {}): Promise<JsonObject> => {
  const outcome = await run(tool, config, { input });
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
};

test('runs a file with arguments that no shell reads, inputs in the environment, in its folder', async () => {
  const uri = file('echo.sh', 'printf "%s|" "$@" "$NOETL_INPUT_WHO" "$EXTRA" "$PWD"');
  const args = ['a b', '$(touch no)', 5, { x: 1 }];
  const config = { script: uri, args, env: { EXTRA: 'e' }, cwd: folder };
  expect((await ok(config, { who: "O'Neil" }))['stdout']).toBe(
    `a b|$(touch no)|5|{"x":1}|O'Neil|e|${fs.realpathSync(folder)}|`,
  );
});

test('chooses the interpreter: the field, the first line, the ending, the shell', async () => {
  const python = 'import json, sys; print(json.dumps({"version": sys.version_info[0]}))';
  expect((await ok({ script: { uri: file('a.py', python) } }))['data']).toEqual({ version: 3 });
  expect((await ok({ code: `#!/usr/bin/env python3\n${python}` }))['data']).toEqual({ version: 3 });
  expect((await ok({ code: python, interpreter: ['python3', '-S'] }))['data']).toEqual({ version: 3 });
  expect(await ok({ code: 'echo plain' })).toMatchObject({ stdout: 'plain\n', data: null, exit_code: 0 });
});

test('is read over http', async () => {
  const server = http.createServer((_request, response) => response.end('console.log(process.argv[2])'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tool.js?x=1`;
  expect((await ok({ script: { uri }, args: ['hi'] }))['stdout']).toBe('hi\n');
  server.closeAllConnections();
  server.close();
});

test('failures: exit code with the last line, a missing file, wrong fields', async () => {
  const failing = await run(tool, { code: 'echo out; echo why >&2; exit 3' });
  expect(failing).toMatchObject({
    error: { kind: 'exception', code: 'EXIT_3', message: 'the script script ended with exit code 3: why' },
    result: { stdout: 'out\n', returncode: 3 },
  });
  expect((await run(tool, { script: path.join(folder, 'none.sh') })).error).toMatchObject({
    code: 'SCRIPT_NOT_FOUND',
  });
  expect((await run(tool, {})).error).toMatchObject({ code: 'SCRIPT_SOURCE' });
  expect((await run(tool, { code: 'x', args: 'a' })).error!.message).toBe(
    'script: args must be a list, not a string',
  );
});

test('a timeout and a cancellation end the script with its children; nothing stays behind', async () => {
  const seconds = ownSeconds();
  const code = `echo begun; (sleep ${seconds}; true) & sleep ${seconds}`;
  const late = await timedOut(
    (timeout) => run(tool, { code, timeout }),
    ({ result }) => (result as JsonObject | null)?.['stdout'] === 'begun\n',
  );
  expect(late.error).toMatchObject({ kind: 'timeout' });
  const ctx = context();
  const ended = run(tool, { code }, {}, ctx);
  await until(() => running(seconds).length === 2);
  ctx.controller.abort();
  expect((await ended).error).toMatchObject({ kind: 'cancelled' });
  await until(() => running(seconds).length === 0);
});
