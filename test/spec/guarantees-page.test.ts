/** docs/guarantees.md promises nothing that no test proves, and says of every kind how often its work is done. */
import fs from 'node:fs';
import path from 'node:path';
import { ENGINE_KINDS, TOOL_KINDS } from '../../src/language/plan';
import { ROOT } from '../support/process';
import { PROMISES } from '../support/promises';

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

test('every promise has a number, and every number its proofs', () => {
  const numbers = promises.map((row) => Number(row.split('|')[1]));
  expect(numbers).toEqual(promises.map((_, index) => index + 1));
  expect(Object.keys(PROMISES).map(Number)).toEqual(numbers);
});

test.each(promises.map((row, index) => [index + 1, row] as const))(
  'promise %d is proven by the tests that its row names: %s',
  (number, row) => {
    const files = [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file!);
    const { proofs } = PROMISES[number]!;
    expect(Object.keys(proofs).sort()).toEqual(files.sort());
    for (const [file, titles] of Object.entries(proofs)) {
      const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
      expect(titles.filter((title) => !source.includes(`'${title}'`))).toEqual([]);
      expect(titles).not.toEqual([]);
    }
  },
);

const BROKEN = Object.entries(PROMISES).flatMap(([number, { broken, proofs }]) =>
  broken ? [[number, broken, proofs] as const] : [],
);

test.each(BROKEN)(
  'what breaks promise %s is one place of the source',
  (_number, { file, from, to, failing }, proofs) => {
    const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
    expect(source.split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    expect(Object.keys(proofs)).toContain(failing);
  },
);

test('the table of delivery has every kind, once', () => {
  const kinds = rowsBelow('Delivery of tasks').flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, kind]) => kind!),
  );
  expect(kinds.sort()).toEqual([...Object.keys(TOOL_KINDS), ...ENGINE_KINDS].sort());
});
