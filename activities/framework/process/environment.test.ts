/** What a command has in its environment, and that nobody else has it. */
import fs from 'node:fs';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';

/** Text that a shell, a loader or a list of arguments could take for something else. */
const ODD = {
  QUOTES: `it's "so" \`it\` $(touch x) \${HOME} \\ \\n`,
  LINES: `one\ntwo\n\n'exit 3'\nEOF\n`,
  EMPTY: '',
  SPACE: ' ',
  UNICODE: 'é 日本 \u{1f600} \u0001\u007f',
  OPTION: '--setenv',
  PATH: '/nowhere',
  IFS: '/bin',
  PS4: '$(touch x)',
  OPTIND: '7',
  LD_DEBUG_OUTPUT: '/nowhere/x',
  LONG: 'x'.repeat(100_000),
};

const inShell = (config: JsonObject, sandbox: string): Promise<Outcome> =>
  run(shell, config, { options: { sandbox } });

test.each(LEVELS)('%s: variables arrive as they are written', async (level) => {
  await enforced(level);
  const python = { shell: '/usr/bin/python3', cmd: 'import json, os; print(json.dumps(dict(os.environ)))' };
  const { stdout } = (await inShell({ ...python, env: ODD }, level)).result as { stdout: string };
  const env = JSON.parse(stdout) as Record<string, string>;
  expect(env).toMatchObject(ODD);
  expect(env['NOETL_IDEMPOTENCY_KEY']).toContain('step#1');
  expect(fs.existsSync('x')).toBe(false);
});

test.each(LEVELS)('%s: a loader reads them for the command only, not for what leads to it', async (level) => {
  await enforced(level);
  const { stderr } = (await inShell({ cmd: 'true', env: { LD_PRELOAD: '/nowhere.so' } }, level)).result as {
    stderr: string;
  };
  expect(stderr.split('cannot be preloaded')).toHaveLength(2);
});

test.each(LEVELS)('%s: a PATH that misses what walls are built with breaks nothing', async (level) => {
  await enforced(level);
  const env = { PATH: '/usr/bin:/bin' };
  expect((await inShell({ cmd: 'id -u', env }, level)).error).toBeNull();
  expect((await inShell({ cmd: '/bin/echo $PATH', env: { PATH: '' } }, level)).result).toMatchObject({
    stdout: '\n',
  });
});

/** Of every process: its arguments, and its environment where it can be read. */
function shown(what: 'cmdline' | 'environ'): string[] {
  return fs.readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [fs.readFileSync(`/proc/${pid}/${what}`, 'latin1')] : [];
    } catch {
      return [];
    }
  });
}

test.each(LEVELS)(
  '%s: a value of env is in no argument, and in the environment of the command only',
  async (level) => {
    await enforced(level);
    const needle = `needle-${level}-${process.pid}`;
    const ctx = context();
    const running = run(
      shell,
      { cmd: 'exec sleep 60', env: { MY_ENV: needle } },
      { options: { sandbox: level } },
      ctx,
    );
    await until(async () => shown('environ').some((text) => text.includes(needle)));
    expect(shown('environ').filter((text) => text.includes(needle))).toHaveLength(1);
    expect(shown('cmdline').filter((text) => text.includes(needle))).toEqual([]);
    ctx.controller.abort();
    expect((await running).error).toMatchObject({ kind: 'cancelled' });
  },
);

test.each([
  [{ 'A=B': '1' }, '"A=B" cannot be the name of a variable'],
  [{ 'A\0': '1' }, '"A\\u0000" cannot be the name of a variable'],
  [{ '': '1' }, '"" cannot be the name of a variable'],
  [{ 'BASH_FUNC_ulimit%%': '() { :; }' }, '"BASH_FUNC_ulimit%%" cannot be the name of a shell\'s variable'],
  [{ 'A\nB': '1' }, "cannot be the name of a shell's variable"],
  [{ A: 'x'.repeat(131_072) }, 'A has 131074 bytes, and a variable at most 131071'],
])('a variable is refused before anything runs (%#)', async (env, message) => {
  const outcome = await inShell({ cmd: 'true', env }, 'none');
  expect(outcome).toMatchObject({ result: null, error: { kind: 'validation' } });
  expect(outcome.error!.message).toContain(message);
});

test.each(LEVELS)(
  '%s: an option in the place of a program is refused, and so are NUL characters',
  async (level) => {
    await enforced(level);
    const option = "'-c' is an option, not a program";
    expect((await inShell({ cmd: 'true', shell: '-c' }, level)).error!.message).toContain(option);
    expect(
      (await run(script, { code: 'true', interpreter: '-c' }, { options: { sandbox: level } })).error!
        .message,
    ).toContain(option);
    expect((await inShell({ cmd: 'echo a\0b' }, level)).error).toMatchObject({ kind: 'validation' });
    const listed = await run(
      script,
      { code: 'printf "%s|" "$@"', args: ['--', '-x', '--args', 'a\0b'] },
      { options: { sandbox: level } },
    );
    expect(listed.result).toMatchObject({ stdout: '--|-x|--args|ab|' });
  },
);
