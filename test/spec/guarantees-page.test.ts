/** docs/guarantees.md promises nothing that no test proves, and says of every kind how often its work is done. */
import fs from 'node:fs';
import path from 'node:path';
import { ENGINE_KINDS, TOOL_KINDS } from '../../src/plan';
import { ROOT } from '../support/process';

const PAGE = fs.readFileSync(path.join(ROOT, 'docs', 'guarantees.md'), 'utf8');

/** Rows of the table below a heading, without its head. */
function rowsBelow(heading: string): string[] {
  const [, section = ''] = PAGE.split(`## ${heading}\n`);
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.slice(2);
}

const promises = rowsBelow('What is promised');

test('the page promises something', () => {
  expect(promises.length).toBeGreaterThan(15);
});

test.each(promises)('%s', (row) => {
  const tests = [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file!);
  expect(tests).not.toEqual([]);
  expect(tests.filter((file) => !fs.existsSync(path.join(ROOT, file)))).toEqual([]);
});

test('the table of delivery has every kind, once', () => {
  const kinds = rowsBelow('Delivery of tasks').flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, kind]) => kind!),
  );
  expect(kinds.sort()).toEqual([...Object.keys(TOOL_KINDS), ...ENGINE_KINDS].sort());
});
