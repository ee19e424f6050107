/** docs/reference/commands.md is what `--help` of every command says. */
import fs from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { program } from '../../src/cli/program';
import { ROOT } from '../support/process';

const FILE = path.join(ROOT, 'docs', 'reference', 'commands.md');
const MADE =
  '<!-- Made from src/cli by `UPDATE_REFERENCE=1 npx jest test/spec/commands-page.test.ts --selectProjects unit`; do not edit. -->';

/** What a command adds behind its help: its examples. */
function examplesOf(command: Command): string {
  const lines: string[] = [];
  command.configureOutput({ writeOut: (text) => void lines.push(text) });
  command.outputHelp();
  const [, examples] = lines.join('').split(/\nExamples:\n/);
  return examples ? `\n\`\`\`sh\n${examples.trim().replace(/^ +/gm, '')}\n\`\`\`\n` : '';
}

const cell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .trim();

/** Without tags. */
const plain = (text: string): string => cell(text).replaceAll('<', '&lt;');

function sectionOf(command: Command, words: string, depth: string): string {
  const name = `${words} ${command.name()}`.trim();
  const options = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map(({ flags, description, defaultValue }) => {
      const usual =
        defaultValue === undefined || defaultValue === false || String(defaultValue) === ''
          ? ''
          : ` (default ${String(defaultValue)})`;
      return `| \`${cell(flags)}\` | ${plain(description)}${usual} |`;
    });
  const table = options.length === 0 ? '' : `\n| Option | |\n|---|---|\n${options.join('\n')}\n`;
  const usage = `\n\`noetl-temporal ${name} ${command.usage()}\`\n`;
  const own = `${depth} ${name}\n\n${plain(command.description())}\n${usage}${table}${examplesOf(command)}`;
  return [own, ...command.commands.map((one) => sectionOf(one, name, `${depth}#`))].join('\n');
}

test('docs/reference/commands.md is made from the commands', () => {
  const groups = new Map<string, Command[]>();
  for (const command of program().commands) {
    const heading = command.helpGroup().replace(/:$/, '');
    groups.set(heading, [...(groups.get(heading) ?? []), command]);
  }
  const body = [...groups].map(
    ([heading, commands]) =>
      `## ${heading}\n\n${commands.map((one) => sectionOf(one, '', '###')).join('\n')}`,
  );
  const intro =
    '# Commands\n\n`noetl-temporal COMMAND --help` says the same. Exit codes: [running](../running.md). Variables of the environment: [environment](environment.md).';
  const made = `${[MADE, intro, ...body].join('\n\n').trim()}\n`;
  if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(FILE, made);
  expect(fs.readFileSync(FILE, 'utf8')).toBe(made);
});
