/** Every example playbook has its rehearsals, and docs/rehearsals.md says nothing that is not so. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../language/dsl';
import { KINDS } from '../../language/dsl/kinds';
import { ENGINE_KINDS, isRunnable, timeoutOfKind } from '../../language/plan/kinds';
import { diffText } from './report/report';
import { type RehearsedPlaybook, readRehearsals } from './format/read';
import { type RehearsalResult, runRehearsal } from './run';

const ROOT = path.resolve(__dirname, '../../..');
const PLAYBOOKS = path.join(ROOT, 'playbooks');
const FOLDERS = [
  '.',
  'tools',
  'triggers',
  ...fs.readdirSync(path.join(PLAYBOOKS, 'extensions')).map((name) => `extensions/${name}`),
];
const playbooks = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(path.join(PLAYBOOKS, folder))
    .filter((name) => /^[^.]+\.yaml$/.test(name))
    .map((name) => path.join(folder, name)),
);

function run(text: string, folder = PLAYBOOKS): RehearsalResult[] {
  const load = (name: string): RehearsedPlaybook => {
    const file = path.join(folder, name);
    return { file, plan: compile(fs.readFileSync(file, 'utf8')).plan! };
  };
  const { rehearsed, diagnostics } = readRehearsals(text, {
    file: 'x.rehearsal.yaml',
    load,
    textOf: (name) => fs.readFileSync(path.join(folder, name), 'utf8'),
  });
  expect(diagnostics).toEqual([]);
  return rehearsed!.rehearsals.map((rehearsal) => runRehearsal(rehearsal, rehearsed!));
}

const files = { rehearsal: 'x.rehearsal.yaml', playbook: 'x.yaml' };

test.each(playbooks)('%s is rehearsed, and every rehearsal passes', (name) => {
  const file = path.join(PLAYBOOKS, name.replace('.yaml', '.rehearsal.yaml'));
  const results = run(fs.readFileSync(file, 'utf8'), path.dirname(file));
  expect(results.length).toBeGreaterThanOrEqual(2);
  expect(results.map((result) => diffText(result, files)).join('')).toBe('');
});

describe('docs/tools/README.md', () => {
  const folder = path.join(ROOT, 'docs/tools');
  const page = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
  const rows = [
    ...page.matchAll(/^\| \[(\w+)\]\(([^)]+)\) \|.*\| \[[^\]]+\]\(([^)]+)\) \|(?: (\d+) s \|)?$/gm),
  ];
  const runnable = Object.keys(KINDS).filter((kind) => isRunnable(kind) || kind === 'workbook');

  test('has a row for every kind that runs', () => {
    expect(rows.map(([, kind]) => kind).sort()).toEqual([...runnable].sort());
  });

  test.each(rows.map((row) => row.slice(1)))('%s', (kind, target, example, seconds) => {
    const [file, heading] = target!.split('#');
    const text = fs.readFileSync(path.join(folder, file!), 'utf8');
    if (heading) expect(text).toContain(`\n## ${heading}\n`);
    const playbook = path.join(folder, example!);
    expect(fs.readFileSync(playbook, 'utf8')).toMatch(new RegExp(`kind: ${kind}\\b`));
    expect(playbooks).toContain(path.relative(PLAYBOOKS, playbook));
    const inside = kind === 'workbook' || ENGINE_KINDS.has(kind!);
    expect(seconds).toBe(inside ? undefined : String(timeoutOfKind(kind!)));
  });
});

const pageOf = (name: string): string => fs.readFileSync(path.join(ROOT, 'docs', name), 'utf8');
const PAGE = pageOf('rehearsals.md');
const snippets = [
  ...PAGE.matchAll(/^```yaml\n([^]*?)^```$/gm),
  ...[pageOf('waiting.md'), pageOf('limits.md')].flatMap((page) => [
    ...page.matchAll(/^```yaml rehearsal\n([^]*?)^```$/gm),
  ]),
].map(([, text]) => text!);

test.each(snippets)('a snippet of the docs passes\n%s', (text) => {
  expect(
    run(text)
      .map((result) => diffText(result, files))
      .join(''),
  ).toBe('');
});

test('the failures that docs/rehearsals.md shows are what is said', () => {
  const pairs = [...PAGE.matchAll(/^```yaml wrong\n([^]*?)^```\n\n```text\n([^]*?)^```$/gm)];
  expect(pairs.length).toBeGreaterThan(0);
  for (const [, wrong, said] of pairs) {
    const names = { rehearsal: 'hello.rehearsal.yaml', playbook: 'hello_world.yaml' };
    expect(
      `${run(wrong!)
        .map((result) => diffText(result, names))
        .join('\n')}\n`,
    ).toBe(said);
  }
});
