/**
 * docs/{design,language,coming-from,recipes}: their examples compile and mean what is said beside them. A block `yaml` is
 * steps in the frame of the README (or a whole playbook) and compiles without an error or a warning; `yaml NT1234` is
 * answered with that diagnostic; `yaml rehearsal` behind either runs it with mocks. A name
 * behind `yaml` is that of a file, which `test/integration/recipes.test.ts` runs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { diffOf } from '../../../test/support/rehearse';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

const DOCS = path.resolve(__dirname, '../../../docs');
const FRAME = 'workload: {items: [1, 2, 3], url: "https://example.com", limit: 2}';
const HEAD = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: snippet}\n${FRAME}\nworkflow:\n`;

interface Example {
  readonly page: string;
  readonly line: number;
  readonly playbook: string;
  readonly code?: string;
  readonly rehearsal?: string;
}

const pages = ['design', 'language', 'coming-from', 'recipes'].flatMap((folder) =>
  fs
    .readdirSync(path.join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
const textOf = (page: string): string => fs.readFileSync(path.join(DOCS, page), 'utf8');

function examplesOf(page: string): Example[] {
  const text = textOf(page);
  const blocks =
    /^```yaml(?: (NT\d{4})| (?!rehearsal)\S+)?\n([^]*?)^```$(?:\n\n```yaml rehearsal\n([^]*?)^```$)?/gm;
  return [...text.matchAll(blocks)].map(({ index, 1: code, 2: yaml, 3: rehearsal }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    playbook: yaml!.startsWith('apiVersion') ? yaml! : HEAD + yaml!,
    ...(code ? { code } : {}),
    ...(rehearsal ? { rehearsal } : {}),
  }));
}

const examples = pages.flatMap(examplesOf);

test.each(['design', 'language'])('the README of docs/%s says what examples stand in', (folder) => {
  expect(textOf(`${folder}/README.md`).replace(/\s+/g, ' ')).toContain(`\`${FRAME}\``);
  expect(examples.length).toBeGreaterThan(30);
});

test('every block of YAML is an example that is checked', () => {
  for (const page of pages) {
    const fences = [...textOf(page).matchAll(/^```yaml.*$/gm)].map(([fence]) => fence);
    const own = examples.filter((one) => one.page === page);
    expect({ page, fences: fences.length }).toEqual({
      page,
      fences: own.length + own.filter(({ rehearsal }) => rehearsal).length,
    });
  }
});

test.each(examples)('docs/$page:$line', ({ playbook, code, rehearsal }) => {
  const found = compile(playbook).diagnostics.filter(({ severity }) => severity !== 'info');
  if (code) expect(found.map((one) => one.code)).toContain(code);
  else expect(formatDiagnostics(found, playbook)).toBe('');
  if (rehearsal) expect(diffOf(playbook, rehearsal)).toBe('');
});
