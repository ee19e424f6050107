/** `init`: what it writes is right, complete and never over anything. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { inProcess, type Printed } from '../../../test/support/program';
import { playbookSchema } from '../../language/dsl';

const ROOT = path.resolve(__dirname, '../../..');
const TEMPLATES = fs.readdirSync(path.join(__dirname, '../templates')).filter((name) => name !== 'common');

let folder: string;
beforeEach(() => {
  // As a shell names it, where the folder of temporary files is a link.
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-init-')));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(ROOT);
  fs.rmSync(folder, { recursive: true, force: true });
});

const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');
const filesOf = (where: string): string[] =>
  fs
    .readdirSync(where, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(where, name)).isFile())
    .sort();

/** The commands of the page's first shell block. */
function commandsIn(page: string): string[] {
  return /```sh\n([^]*?)```/.exec(page)![1]!.trim().split('\n');
}

test('there is a template for each job', () => {
  expect(TEMPLATES).toEqual(
    expect.arrayContaining([
      'agent',
      'api-to-postgres',
      'approval',
      'fan-out',
      'files-to-duckdb',
      'hello',
      'webhook',
    ]),
  );
});

describe.each(TEMPLATES)('%s', (template) => {
  let printed: Printed;
  beforeEach(async () => {
    printed = await inProcess(['init', '--template', template]);
  });

  it('has no finding, rehearsals that pass, and little that they do not touch', async () => {
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    const validated = await inProcess(['validate', '--strict', 'playbooks']);
    expect(validated).toMatchObject({ code: 0, stderr: '' });
    expect(validated.stdout).not.toMatch(/warning|error/);
    for (const name of filesOf(path.join(folder, 'playbooks')).filter((one) => !one.includes('.rehearsal.')))
      expect(validated.stdout).toContain(`✓ playbooks/${name}`);
    const tested = JSON.parse((await inProcess(['test', 'playbooks', '--format', 'json'])).stdout) as object;
    expect(tested).toMatchObject({ failed: 0, errors: [] });
    expect((tested as { passed: number }).passed).toBeGreaterThanOrEqual(2);
    expect(await inProcess(['coverage', 'playbooks', '--at-least', '80'])).toMatchObject({ code: 0 });
  });

  it('rehearsals that expect something each', () => {
    for (const name of filesOf(folder).filter((one) => /rehearsal\.yaml$/.test(one))) {
      const rehearsals = (parse(read(name)) as { rehearsals: { expect?: object }[] }).rehearsals;
      expect(rehearsals.filter((one) => Object.keys(one.expect ?? {}).length === 0)).toEqual([]);
    }
  });

  it('a page whose commands are what is said to come next', () => {
    for (const command of commandsIn(read('README.md'))) expect(printed.stdout).toContain(`  ${command}\n`);
    expect(read('README.md')).toMatch(new RegExp(`^# ${template}\n\n`));
  });

  it('every file begins with the schema that is there', () => {
    const names = filesOf(path.join(folder, 'playbooks'));
    // The schema is that of playbooks and rehearsals.
    for (const name of names.filter((one) => !read(`playbooks/${one}`).includes('kind: Subscription'))) {
      const [, schema] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(read(`playbooks/${name}`))!;
      expect(fs.existsSync(path.join(folder, 'playbooks', schema!))).toBe(true);
      expect(schema).toContain(name.includes('rehearsal') ? 'rehearsal' : 'playbook');
    }
  });
});

test('the schemas are those of `schema`; the workflow uses the action of this version, with inputs that it has', async () => {
  await inProcess(['init']);
  expect(JSON.parse(read('schemas/playbook.schema.json'))).toEqual(
    JSON.parse(JSON.stringify(playbookSchema())),
  );
  expect(read('schemas/rehearsal.schema.json')).toBe((await inProcess(['schema', '--rehearsal'])).stdout);
  for (const name of ['settings', 'extensions']) JSON.parse(read(`.vscode/${name}.json`));
  const { jobs } = parse(read('.github/workflows/playbooks.yml')) as {
    jobs: { check: { steps: { uses: string; with?: object }[] } };
  };
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const used = jobs.check.steps.at(-1)!;
  expect(used.uses).toBe(`noetl/noetl-temporal/.github/actions/check@v${version}`);
  const action = parse(fs.readFileSync(path.join(ROOT, '.github/actions/check/action.yml'), 'utf8')) as {
    inputs: object;
  };
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used.with!)));
});

test('what is there stays: a file of the template keeps everything from being written, a common one is kept', async () => {
  fs.mkdirSync('playbooks');
  fs.writeFileSync('playbooks/hello.yaml', 'mine');
  const refused = await inProcess(['init']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^error: playbooks\/hello\.yaml: already there, nothing was written; .*--force\n$/,
  );
  expect(filesOf(folder)).toEqual(['playbooks/hello.yaml']);

  fs.writeFileSync('README.md', 'mine too');
  const second = await inProcess(['init', '--template', 'approval']);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout).toContain('kept README.md: it was there (--force replaces it)');
  expect(read('README.md')).toBe('mine too');

  expect(await inProcess(['init', '--force'])).toMatchObject({ code: 0 });
  expect(read('playbooks/hello.yaml')).toContain('kind: Playbook');
  expect(read('README.md')).toMatch(/^# hello/);
  const again = await inProcess(['init']);
  expect(again.stdout).toMatch(/^( {2}= \S+\n)+\n/);
});

test('folders: made, with any name, below a repository, or in the way', async () => {
  fs.mkdirSync('.git');
  const { stdout } = await inProcess(['init', "Ada's shop/etl"]);
  expect(stdout).toContain(`  cd 'Ada'\\''s shop/etl'\n`);
  expect(stdout).toContain(
    `${path.join(folder, '.github/workflows')} only: move .github/workflows/playbooks.yml there`,
  );
  expect(stdout).toContain("`working-directory: Ada's shop/etl`");
  expect((await inProcess(['init'])).stdout).not.toContain('GitHub runs');
  fs.writeFileSync('file', '');
  const refused = await inProcess(['init', 'file']);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/^error: file\/\S+: cannot be written \(\w+\)\n$/);
});

test('a template that is not there is named with those that are', async () => {
  const { code, stderr } = await inProcess(['init', '--template', 'aproval']);
  expect(code).toBe(2);
  expect(stderr).toContain(
    '--template aproval: there is no such template; did you mean approval? There are agent,',
  );
  const { stdout } = await inProcess(['init', '--list']);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(TEMPLATES);
});

test('docs/projects.md lists the templates', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/projects.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([\w-]+)`(?: \(default\))? \| .* \| .* \|$/gm)].map(
    ([, name]) => name,
  );
  expect(listed.filter((name) => TEMPLATES.includes(name!)).sort()).toEqual(TEMPLATES);
});
