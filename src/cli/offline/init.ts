/** `init`: a folder to begin with. What it writes is data: `templates/NAME`, over what all of them have in common. */
import fs from 'node:fs';
import path from 'node:path';
import { nearest } from '../../language/template/suggest';
import { playbookSchema } from '../../language/dsl';
import { rehearsalSchema } from '../../offline/rehearsal';
import { UsageError } from '../errors';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { packageVersion } from '../output/version';

const TEMPLATES = path.resolve(__dirname, '../templates');
/** What every template writes besides its own. */
const COMMON = 'common';
/** In a package, files whose names begin with a dot would be left out or mean something. */
const DOT = /(^|\/)dot-/g;

interface InitFlags {
  readonly template: string;
  readonly list?: boolean;
  readonly force?: boolean;
}

interface TemplateFile {
  /** Relative to the folder. */
  readonly name: string;
  readonly text: string;
  /** Other templates write it, too: one that is there already may stay. */
  readonly isCommon: boolean;
}

type State = 'new' | 'same' | 'other';

/** @throws UsageError before anything is written, if a file of the template is there with another content */
export async function initFolder(folder = '.', flags: InitFlags): Promise<void> {
  if (flags.list) return print(listText());
  const files = filesOf(flags.template);
  const states = files.map(({ name, text }) => stateOf(path.join(folder, name), text));
  const inTheWay = files.filter(({ isCommon }, index) => states[index] === 'other' && !isCommon);
  if (inTheWay.length > 0 && !flags.force)
    throw new UsageError(
      `${inTheWay.map(({ name }) => path.join(folder, name)).join(', ')}: already there, nothing was written; name another folder, or replace with --force`,
    );
  const lines = files.map((file, index) => {
    const state = states[index]!;
    if (state === 'other' && !flags.force) return `  kept ${file.name}: it was there (--force replaces it)`;
    if (state !== 'same') write(path.join(folder, file.name), file.text);
    return `  ${state === 'same' ? '=' : '+'} ${file.name}`;
  });
  await print([...lines, ...repositoryNote(folder), '', ...nextSteps(folder, flags.template)].join('\n'));
}

function templateNames(): string[] {
  return fs
    .readdirSync(TEMPLATES)
    .filter((name) => name !== COMMON)
    .sort();
}

function listText(): string {
  const { bold } = paint(wantsColor(process.stdout));
  return templateNames()
    .map((name) => `${bold(name.padEnd(16))} ${paragraphOf(readme(name))}`)
    .join('\n');
}

function readme(template: string): string {
  return fs.readFileSync(path.join(TEMPLATES, template, 'README.md'), 'utf8');
}

/** What the template is, in one line. */
function paragraphOf(page: string): string {
  return page.split('\n\n')[1]!.replaceAll('\n', ' ');
}

/** @throws UsageError if there is no such template */
function filesOf(template: string): TemplateFile[] {
  const names = templateNames();
  if (!names.includes(template)) {
    const close = nearest(template, names);
    throw new UsageError(
      `--template ${template}: there is no such template${close === undefined ? '' : `; did you mean ${close}?`} There are ${names.join(', ')}`,
    );
  }
  const schemas = { playbook: playbookSchema(), rehearsal: rehearsalSchema() };
  return [
    ...below(template).map(({ name, text }) => ({ name, text, isCommon: name === 'README.md' })),
    ...[
      ...below(COMMON),
      ...Object.entries(schemas).map(([name, schema]) => ({
        name: `schemas/${name}.schema.json`,
        text: `${JSON.stringify(schema, null, 2)}\n`,
      })),
    ].map((file) => ({ ...file, isCommon: true })),
  ];
}

function below(template: string): { name: string; text: string }[] {
  const root = path.join(TEMPLATES, template);
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      name: path.relative(root, file).replaceAll(path.sep, '/').replaceAll(DOT, '$1.'),
      text: fs.readFileSync(file, 'utf8').replaceAll('@VERSION@', packageVersion()),
    }));
}

function stateOf(file: string, text: string): State {
  try {
    if (!fs.lstatSync(file, { throwIfNoEntry: false })) return 'new';
    return fs.readFileSync(file, 'utf8') === text ? 'same' : 'other';
  } catch (error) {
    // Below a file, there is nothing yet: writing says so.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'new' : 'other';
  }
}

function write(file: string, text: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Only the workflows of a repository's own folder run. */
function repositoryNote(folder: string): string[] {
  for (let above = path.resolve(folder); ; above = path.dirname(above)) {
    const isRoot = fs.existsSync(path.join(above, '.git'));
    if (isRoot && above !== path.resolve(folder)) {
      const here = path.relative(above, path.resolve(folder));
      return [
        '',
        `GitHub runs the workflows of ${path.join(above, '.github/workflows')} only: move .github/workflows/playbooks.yml there, and give the action \`working-directory: ${here}\`.`,
      ];
    }
    if (isRoot || above === path.dirname(above)) return [];
  }
}

/** The commands of the first shell block of its page. */
function nextSteps(folder: string, template: string): string[] {
  const commands = /```sh\n([^]*?)```/.exec(readme(template))![1]!.trim().split('\n');
  const enter = path.resolve(folder) === process.cwd() ? [] : [`cd ${quoted(folder)}`];
  return ['Next (README.md says more):', ...[...enter, ...commands].map((command) => `  ${command}`)];
}

function quoted(name: string): string {
  return /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
