/** What holds for every command: its help shows examples that it takes, and completion offers it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { offersAt, SCRIPTS } from './commands/completion';
import { EXEMPLIFIED, examplesOf, leavesOf } from './examples';
import { program } from './program';

const ROOT = path.resolve(__dirname, '../..');

const names = leavesOf(program()).map(([name]) => name);

test('every command has an example in its help, and there is none of a command that is gone', () => {
  expect(names.filter((name) => examplesOf(name).length === 0)).toEqual([]);
  expect(EXEMPLIFIED.filter((name) => !names.includes(name))).toEqual([]);
});

/** Words as a shell makes them; a redirection ends the command. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, a, b, c]) => a ?? b ?? c!);
  const end = words.indexOf('>');
  return end < 0 ? words : words.slice(0, end);
}

test.each(names.flatMap((name) => examplesOf(name).map((line) => [name, line] as const)))(
  '%s takes its example: %s',
  async (name, line) => {
    const root = program();
    const ran: string[] = [];
    for (const [leaf, command] of leavesOf(root)) command.action(() => void ran.push(leaf));
    let help = '';
    const shown = leavesOf(root).find(([leaf]) => leaf === name)![1];
    shown.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toContain(`noetl-temporal ${line}`);
    await root.parseAsync(wordsOf(line), { from: 'user' });
    expect(ran).toEqual([name]);
  },
);

const offered = (...typed: string[]): string[] =>
  offersAt(program(), typed).map((line) => line.split('\t')[0]!);

test('completion offers every command, and every option of each', () => {
  for (const [name, command] of leavesOf(program())) {
    const words = name.split(' ');
    expect(offered(...words.slice(0, -1), '')).toContain(words.at(-1));
    for (const { long, short } of command.options) expect(offered(...words, '-')).toContain(long ?? short);
  }
});

test('completion offers choices of options and arguments, and nothing where files may stand', () => {
  expect(offered('schedule', 'create', 'a', 'b', '--overlap', 'buffer')).toEqual(
    expect.arrayContaining(['buffer-one', 'buffer-all']),
  );
  expect(offered('completion', '')).toEqual(expect.arrayContaining(Object.keys(SCRIPTS)));
  expect(offered('validate', 'package.js')).toEqual([]);
});

describe('bash completes', () => {
  /** The program is the answer to what the script asks it. */
  const complete = (...words: string[]): string[] => {
    const asked = ['noetl-temporal', ...words];
    const run = spawnSync('bash', ['--norc', '-s', ...asked], {
      encoding: 'utf8',
      // Bash warns of a locale that the machine does not have.
      env: { ...process.env, LC_ALL: 'C', OFFERS: offersAt(program(), words).join('\n') },
      input: `${SCRIPTS.bash}
noetl-temporal() { [ "$*" = "completion words -- \${COMP_WORDS[*]:1}" ] && echo "$OFFERS"; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _noetl_temporal; printf '%s\\n' "\${COMPREPLY[@]}"`,
    });
    expect(run.stderr).toBe('');
    return run.stdout.trim().split('\n');
  };

  test('commands, also below others', () => {
    expect(complete('sch').sort()).toEqual(['schedule', 'schema']);
    expect(complete('schedule', 'un')).toEqual(['unpause']);
    expect(complete('tokens', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']));
  });

  test('options', () => {
    expect(complete('events', '1', '--prof')).toEqual(['--profile']);
  });
});

describe('help', () => {
  const helped = async (...words: string[]): Promise<string> => {
    const root = program();
    let said = '';
    const all = [root, ...leavesOf(root).flatMap(([, one]) => [one, one.parent!])];
    for (const one of all) one.configureOutput({ writeOut: (text) => (said += text) });
    await root.parseAsync(['help', ...words], { from: 'user' });
    return said;
  };

  test('without a command it shows all, with one its own', async () => {
    expect(await helped()).toContain('Usage: noetl-temporal [options] [command]');
    expect(await helped('run')).toContain('Usage: noetl-temporal run [options] <playbook>');
    expect(await helped('schedule', 'create')).toContain('Usage: noetl-temporal schedule create');
  });

  test('of a command that there is not', async () => {
    await expect(helped('schedule', 'creat')).rejects.toThrow(
      "there is no command schedule creat: did you mean 'create'?",
    );
  });
});

/** `<CommandHint text="noetl-temporal …">` of the console's pages. */
const SHOWN = fs
  .readdirSync(path.join(ROOT, 'console'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .map((file) => path.join('console', file))
  .flatMap((file) =>
    [
      ...fs
        .readFileSync(path.join(ROOT, file), 'utf8')
        .matchAll(/<CommandHint text=(["'])noetl-temporal (.*?)\1/g),
    ].map(([, , line]) => [file, line!] as const),
  );

test('the console shows commands', () => expect(SHOWN.length).toBeGreaterThan(5));

test.each(SHOWN)('%s shows a command that there is: %s', async (_file, line) => {
  const root = program();
  const ran: string[] = [];
  for (const [leaf, command] of leavesOf(root)) command.exitOverride().action(() => void ran.push(leaf));
  await root.parseAsync(wordsOf(line), { from: 'user' });
  expect(ran).toHaveLength(1);
});
