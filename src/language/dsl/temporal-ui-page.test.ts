/** docs/temporal-ui.md: its playbook compiles, its pictures are there and small enough for a repository. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

const DOCS = path.resolve(__dirname, '../../../docs');
const page = fs.readFileSync(path.join(DOCS, 'temporal-ui.md'), 'utf8');

test('the playbook of the pictures compiles without a warning', () => {
  const [, yaml] = /```yaml\n([^]*?)```/.exec(page)!;
  expect(formatDiagnostics(compile(yaml!).diagnostics, yaml!)).toBe('');
});

test('the pictures are all there, each below 150 kB, and none is left over', () => {
  const named = [...page.matchAll(/\]\(images\/([^)]+)\)/g)].map((match) => match[1]!);
  const files = fs.readdirSync(path.join(DOCS, 'images')).filter((file) => file.startsWith('temporal-ui-'));
  expect([...named].sort()).toEqual(files.sort());
  for (const file of files) expect(fs.statSync(path.join(DOCS, 'images', file)).size).toBeLessThan(150_000);
});
