import { ownSeconds, running } from '../../../test/support/running';
import { timedOut } from '../../../test/support/timed-out';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { type JsonObject } from '../../../src/language/plan';
import { shell as tool } from './run';

interface Result extends JsonObject {
  stdout: string;
  stderr: string;
  returncode: number;
  commands: JsonObject[];
}
const ok = async (config: JsonObject, more = {}): Promise<Result> => {
  const outcome = await run(tool, config, more);
  expect(outcome.error).toBeNull();
  return outcome.result as Result;
};

test('the shell that is written', async () => {
  const list = 'a=(1 2 3); echo ${#a[@]}';
  expect(await ok({ cmds: list, shell: 'bash' })).toMatchObject({ stdout: '3\n' });
  expect(await ok({ cmds: list, shell: '/bin/bash' })).toMatchObject({ stdout: '3\n' });
  const none = await run(tool, { cmds: 'true', shell: 'no-such-shell' });
  expect(none.error).toMatchObject({ kind: 'exception', code: 'EXIT_127' });
  expect(none.error!.message).toContain('no-such-shell');
});

test('bash, for commands that set pipefail or use [[', async () => {
  const cmds = 'set -euo pipefail\na=(1 2); echo ${#a[@]}\nfalse | true\necho never';
  const { error, result } = await run(tool, { cmds });
  expect(error).toMatchObject({ code: 'EXIT_1' });
  expect(result).toMatchObject({ stdout: '2\n', stderr: '' });
  expect(await ok({ cmds: 'echo "set -o pipefail" "$0"' })).toMatchObject({
    stdout: 'set -o pipefail /bin/sh\n',
  });
  const tests = 'if [[ "$NOETL_INPUT_A" == x* ]]; then echo yes; else echo no; fi';
  expect(await ok({ cmds: tests }, { input: { a: 'xy' } })).toMatchObject({ stdout: 'yes\n', stderr: '' });
  expect((await run(tool, { cmds, shell: '/bin/false' })).error).toMatchObject({ code: 'EXIT_1' });
});

test.each([['cmds'], ['cmd'], ['command'], ['commands']])('%s: one command or several', async (name) => {
  expect(await ok({ [name]: 'echo a' })).toMatchObject({
    stdout: 'a\n',
    stderr: '',
    returncode: 0,
    exit_code: 0,
  });
  const both = await ok({ [name]: ['echo a', 'echo b >&2'] });
  expect(both).toMatchObject({ stdout: 'a\n', stderr: 'b\n' });
  expect(both.commands).toMatchObject([
    { cmd_preview: 'echo a', stdout: 'a\n', returncode: 0 },
    { stderr: 'b\n' },
  ]);
});

test('stops at the first failure, with what ran so far', async () => {
  const outcome = await run(tool, { cmds: ['echo one', 'echo why >&2; exit 3', 'echo never'] });
  expect(outcome.error).toMatchObject({
    kind: 'exception',
    code: 'EXIT_3',
    message: 'command 2 of 3 (echo why >&2; exit 3) ended with exit code 3: why',
    retryable: false,
  });
  expect(outcome.result).toMatchObject({ stdout: 'one\n', returncode: 3, commands: { length: 2 } });
  expect((await run(tool, { cmd: 'kill -9 $$' })).error).toMatchObject({ code: 'EXIT_137' });
  expect((await run(tool, { cmd: 'no-such-command' })).error).toMatchObject({ code: 'EXIT_127' });
});

test('sees PATH, HOME, LANG, its env, its inputs and the idempotency key; nothing else of the worker', async () => {
  process.env['NOETL_CREDENTIAL_CANARY'] = 'canary-secret';
  const input = { name: "it's $HOME", rows: [{ a: 1 }], 'odd-name': 1, huge: 'x'.repeat(100_000) };
  const outcome = await run(tool, { cmd: 'env', env: { STAGE: 'test', N: 1 } }, { input });
  const { stdout } = outcome.result as Result;
  expect(stdout).not.toContain('canary');
  for (const line of [
    "NOETL_INPUT_NAME=it's $HOME",
    'NOETL_INPUT_ROWS=[{"a":1}]',
    'NOETL_INPUT_ODD_NAME=1',
    'STAGE=test',
    'N=1',
    'NOETL_IDEMPOTENCY_KEY=287146398761160704/step#1.shell~1',
  ]) {
    expect(stdout.split('\n')).toContain(line);
  }
  expect(outcome.meta).toMatchObject({ inputs_omitted: ['huge'] });
});

test('cwd', async () => {
  expect((await ok({ cmd: 'pwd', cwd: '/' })).stdout).toBe('/\n');
  expect((await run(tool, { cmd: 'pwd', cwd: '/no/such' })).error).toMatchObject({
    kind: 'validation',
    message: "shell: cwd '/no/such' is not a folder",
  });
});

test('no command is a validation error', async () => {
  expect((await run(tool, { cmds: [] })).error).toMatchObject({ kind: 'validation' });
  expect((await run(tool, { cmds: [{}] })).error!.message).toBe(
    'shell: cmds[0] must be a string, not a mapping',
  );
});

test('output is bounded, with a mark', async () => {
  const { stdout } = await ok({ cmd: 'seq 1 200000' });
  expect(stdout).toMatch(/^\[… \d+ bytes of output dropped …\]\n/);
  expect(stdout.length).toBeLessThan(270_000);
  expect(stdout).toMatch(/200000\n$/);
});

test('a timeout ends the whole process group, and keeps the output so far', async () => {
  const seconds = ownSeconds();
  const cmd = `echo begun; (sleep ${seconds}; true) & sleep ${seconds}`;
  const outcome = await timedOut(
    (total) => run(tool, { cmd }, { timeout: { total } }),
    ({ result }) => (result as JsonObject | null)?.['stdout'] === 'begun\n',
  );
  expect(outcome.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
  expect(outcome.result).toMatchObject({ stdout: 'begun\n' });
  await until(() => running(seconds).length === 0);
});

test('a cancelled command that ignores SIGTERM is killed', async () => {
  const ctx = context();
  setTimeout(() => ctx.controller.abort(), 200);
  const started = Date.now();
  const outcome = await run(tool, { cmd: `trap '' TERM; while true; do sleep 0.1; done` }, {}, ctx);
  expect(outcome.error).toMatchObject({ kind: 'cancelled' });
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('a background child that holds the output does not delay the end', async () => {
  const started = Date.now();
  expect((await ok({ cmd: 'sleep 60 & echo done' })).stdout).toBe('done\n');
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('capture: false drops the output of what succeeds, not of what fails', async () => {
  const quiet = await run(tool, { cmds: ['echo out; echo err >&2', 'true'], capture: false });
  expect(quiet.result).toMatchObject({ stdout: '', stderr: '', returncode: 0 });
  const loud = await run(tool, { cmds: ['echo out', 'echo why >&2; exit 2'], capture: false });
  expect(loud).toMatchObject({ error: { code: 'EXIT_2' }, result: { stdout: '', stderr: 'why\n' } });
});
