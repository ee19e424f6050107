/** Pages that promise something have a test for each promise: a numbered row names a file, and titles that it has. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/process';

/** Each with the folder that its files are named from. */
const PAGES = [
  ['docs/isolation.md', 'activities/framework'],
  ['docs/secrets.md', '.'],
  ['SECURITY.md', '.'],
  ['docs/compatibility.md', '.'],
] as const;

describe.each(PAGES)('%s', (page, folder) => {
  const rows = fs
    .readFileSync(path.join(ROOT, page), 'utf8')
    .split('\n')
    .filter((line) => /^\|\s*\d+ \|/.test(line));

  test('promises are numbered', () => {
    expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(rows.map((_row, index) => index + 1));
    expect(rows.length).toBeGreaterThan(9);
  });

  test.each(rows.filter((row) => !row.includes('| the same |')))('%s', (row) => {
    const named = [...row.matchAll(/`([\w./-]+\.test\.ts)`: ((?:“[^”]+”(?:, )?)+)/g)];
    expect(named).not.toEqual([]);
    expect(named).toHaveLength([...row.matchAll(/\.test\.ts`/g)].length);
    for (const [, file = '', titles = ''] of named) {
      const text = fs.readFileSync(path.join(ROOT, file.startsWith('src/') ? '.' : folder, file), 'utf8');
      for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) expect(text).toContain(title);
    }
  });
});
