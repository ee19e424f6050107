/** docs/isolation.md promises nothing without a test: each row names a file, and titles that it has. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/process';

const PAGE = fs.readFileSync(path.join(ROOT, 'docs', 'isolation.md'), 'utf8');
const rows = PAGE.split('\n').filter((line) => /^\|\s*\d+ \|/.test(line));

test('promises are numbered', () => {
  expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(rows.map((_row, index) => index + 1));
  expect(rows.length).toBeGreaterThan(10);
});

test.each(rows.filter((row) => !row.includes('| the same |')))('%s', (row) => {
  const named = [...row.matchAll(/`([\w./-]+\.test\.ts)`: ((?:“[^”]+”(?:, )?)+)/g)];
  expect(named).not.toEqual([]);
  for (const [, file = '', titles = ''] of named) {
    const folder = file.startsWith('src/') ? '.' : 'activities/framework';
    const text = fs.readFileSync(path.join(ROOT, folder, file), 'utf8');
    for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) expect(text).toContain(title);
  }
});
