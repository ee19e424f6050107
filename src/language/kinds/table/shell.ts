/** Shell commands. */
import { type KindDeclaration, type KindMock } from '../declaration';
import { FILES, TIMEOUT } from '../fields';

const MOCK: KindMock = {
  words: {
    stdout: 'What the command prints.',
    stderr: 'What it prints to standard error.',
    exit_code: 'Its exit code; default 0.',
  },
  least: { stdout: '' },
  wrong: (word, value) => {
    if (word === 'exit_code') return Number.isInteger(value) ? undefined : 'a whole number';
    return typeof value === 'string' ? undefined : 'a text';
  },
  bare: (value) =>
    value === null ? { stdout: '' } : typeof value === 'object' ? undefined : { stdout: String(value) },
  outcome: ({ stdout = '', stderr = '', exit_code = 0 }, { ms, fail }) => {
    const result = { stdout, stderr, returncode: exit_code, exit_code, duration_ms: ms, commands: [] };
    if (exit_code === 0) return { status: 'ok', result, error: null, meta: {} };
    const message = `the command ended with exit code ${String(exit_code)}`;
    return fail({ kind: 'exception', code: `EXIT_${String(exit_code)}`, message }, result);
  },
};

export const shellKind: KindDeclaration = {
  doc: 'Shell commands; the first one that fails ends the task.',
  closed: true,
  sandbox: {},
  fields: {
    cmds: 'The commands, a list or a text.',
    cmd: 'Alias of `cmds`.',
    command: 'Alias of `cmds`.',
    commands: 'Alias of `cmds`.',
    shell: 'The shell; default `/bin/sh`, and bash for commands with `set -o pipefail` or `[[`.',
    files: FILES,
    env: 'Environment variables.',
    cwd: 'The working directory.',
    ...TIMEOUT,
    capture: 'Whether the output is kept.',
  },
  required: [['cmds', 'cmd', 'command', 'commands']],
  exclusive: [
    ['cmds', 'cmd', 'command', 'commands'],
    ['timeout', 'timeout_seconds'],
  ],
  command: ['cmds', 'cmd', 'command', 'commands'],
  shell: { cmds: 'each', cmd: 'each', command: 'each', commands: 'each' },
  strict: [],
  mock: MOCK,
  timeout: 600,
  processes: true,
  delivery: { killed: 'at least once; once if the code uses the key' },
};
