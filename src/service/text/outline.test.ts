import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type OutlineNode, scalarText } from './node';
import { textOutline } from './outline';

/** The outline as data: texts for scalars. */
function dataOf(text: string, node: OutlineNode): unknown {
  if (node.kind === 'none') return null;
  if (node.kind === 'list') return node.items.map((item) => dataOf(text, item));
  if (node.kind === 'map')
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, dataOf(text, value)]));
  return node.style === 'block' ? '|' : scalarText(text, node);
}

/** The same of what YAML's own parser reads, as far as the two can be compared: words, not values. */
function shapeOf(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
  return 'scalar';
}

function scalarsAsOne(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scalarsAsOne);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scalarsAsOne(each)]));
  return value === null || value === 'null' || value === '~' ? null : 'scalar';
}

const ROOT = path.resolve(__dirname, '../../..');
const FILES = ['playbooks', 'playbooks/tools', 'test/spec'].flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => path.join(folder, name)),
);

test('examples have the structure that YAML gives them', () => {
  expect(FILES.length).toBeGreaterThan(100);
  for (const file of FILES) {
    const text = fs.readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/: \*\w+$/gm, ': alias');
    expect([file, scalarsAsOne(dataOf(text, textOutline(text)))]).toEqual([file, shapeOf(parse(text))]);
  }
});

test.each([
  ['a key that is being written', 'a: 1\nwor', { a: '1', wor: null }],
  ['a key in the middle', 'a:\n  b: 1\n  wo\n  c: 2\nd: 3', { a: { b: '1', wo: null, c: '2' }, d: '3' }],
  ['a quote that is not closed', 'a:\n  u: "{{ x.\n  m: GET\nb: 1', { a: { u: '{{ x.', m: 'GET' }, b: '1' }],
  [
    'a brace that is not closed',
    'a:\n  t: { do: retry, a\n  m: 1\nb: 2',
    { a: { t: { do: 'retry', a: null }, m: '1' }, b: '2' },
  ],
  ['a list that begins', 'next:\n  arcs:\n    - \nb: 1', { next: { arcs: [null] }, b: '1' }],
  [
    'an item at the column of its key',
    'w:\n- step: a\n- step: b\nz: 1',
    { w: [{ step: 'a' }, { step: 'b' }], z: '1' },
  ],
  ['a block', 'a: |\n  x: 1\n  - y\n\n  z\nb: 1', { a: '|', b: '1' }],
  ['lines that go on', 'a: one\n  two\nb: 1', { a: 'one\n  two', b: '1' }],
])('%s', (_, text, data) => {
  expect(dataOf(text, textOutline(text))).toEqual(data);
});
