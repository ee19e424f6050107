/** docs/design/canary.md says which places, kinds and endings the canary was looked for in: the matrix that is run. */
import fs from 'node:fs';
import path from 'node:path';
import { matrix } from '../support/canary-matrix/matrix';
import { matrixPage } from '../support/canary-matrix/page';
import { ROOT } from '../support/process';

const FILE = path.join(ROOT, 'docs', 'design', 'canary.md');
const BEGIN = '<!-- the matrix: UPDATE_REFERENCE=1 npx jest test/spec/canary-page.test.ts -->\n';
const END = '<!-- the end of the matrix -->\n';

test('the table of docs/design/canary.md is that of the matrix', () => {
  const { cells, gaps } = matrix();
  const text = fs.readFileSync(FILE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  expect(from).toBeGreaterThan(BEGIN.length);
  expect(to).toBeGreaterThanOrEqual(from);
  const made = `\n${matrixPage(cells, gaps)}`;
  if (process.env.UPDATE_REFERENCE === '1')
    fs.writeFileSync(FILE, text.slice(0, from) + made + text.slice(to));
  else expect(text.slice(from, to)).toBe(made);
});

test('every kind has every place that all share, in every ending, or a reason why not', () => {
  const { cells, gaps } = matrix();
  const all = [...cells, ...gaps].map(({ kind, place, ending }) => `${kind}/${place}/${ending}`);
  expect(new Set(all).size).toBe(all.length);
  expect(gaps.filter(({ why }) => why.length < 8)).toEqual([]);
  expect(cells.length).toBeGreaterThan(900);
});
