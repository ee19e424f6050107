import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

const FOLDER = path.resolve(__dirname, '../../../docs/common-mistakes');
const PAGE = fs
  .readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .map((name) => fs.readFileSync(path.join(FOLDER, name), 'utf8'))
  .join('\n');
const PAIR =
  /^## (.+)\n\n[^]*?^Wrong \(`(NT\d+)`\):\n\n```yaml\n([^]*?)^```\n\nRight:\n\n```yaml\n([^]*?)^```$/gm;

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: snippet}\n';
const WORKLOAD =
  'workload: {count: 3, items: [1, 2], name: Ada, settings: {a: 1}, url: "https://example.com"}\nworkflow:\n';

/** What the README says of snippets: steps stand in a workflow, anything else in a playbook. */
function whole(snippet: string): string {
  return HEAD + (snippet.startsWith('- step') ? WORKLOAD : '') + snippet;
}

const pairs = [...PAGE.matchAll(PAIR)].map(([, title, code, wrong, right]) => ({
  title: title!,
  code: code!,
  wrong: whole(wrong!),
  right: whole(right!),
}));

test('every section of docs/common-mistakes is a pair', () => {
  expect(pairs.map(({ title }) => title)).toEqual(
    [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
  );
  expect(pairs.length).toBeGreaterThanOrEqual(15);
});

describe.each(pairs)('$title', ({ code, wrong, right }) => {
  test(`the wrong one earns ${code}`, () => {
    expect(compile(wrong).diagnostics.map((each) => each.code)).toContain(code);
  });

  test('the right one earns nothing', () => {
    expect(formatDiagnostics(compile(right).diagnostics, right)).toBe('');
  });
});
