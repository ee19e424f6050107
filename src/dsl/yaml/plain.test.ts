import fc from 'fast-check';
import { DAMAGE } from '../../../test/support/damage';
import { GENERATIONS, realPlaybooks, testWithRealPlaybooks } from '../../../test/support/real-playbooks';
import { SILENT } from '../diagnostics/diagnostic';
import { EXAMPLES } from '../diagnostics/examples';
import { type Node } from './node';
import { parseFull } from './parse';
import { readPlain } from './plain';

/** Everything later stages see of a node, the place of every character included. */
function seen(node: Node): unknown {
  const at = { start: node.start, end: node.end, path: node.path };
  if (node.kind === 'list') return { ...at, items: node.items.map(seen) };
  if (node.kind === 'map') {
    return { ...at, entries: node.entries.map(({ key, at: place, value }) => [key, place, seen(value)]) };
  }
  const length = typeof node.value === 'string' ? node.value.length : 0;
  return {
    ...at,
    value: node.value,
    offsets: Array.from({ length: length + 1 }, (_, i) => node.offsetOf(i)),
  };
}

/** Whether the plain reader reads the text; it then has to read what the whole parser reads. */
function isReadAlike(text: string): boolean {
  const plain = readPlain(text);
  if (typeof plain === 'string') return false;
  const problems: unknown[] = [];
  const full = parseFull(text, { add: (...problem) => problems.push(problem) });
  expect(problems).toEqual([]);
  expect(seen(plain)).toEqual(full && seen(full));
  return true;
}

testWithRealPlaybooks();
const real = [...GENERATIONS, 'examples' as const].flatMap((source) => realPlaybooks(source));

test('real playbooks are read alike, most of the examples by the plain reader', () => {
  for (const { text } of real) isReadAlike(text);
  const examples = realPlaybooks('examples').filter(({ text }) => isReadAlike(text));
  expect(examples.length).toBeGreaterThan(5);
});

test('the examples of all diagnostics are read alike, or not at all', () => {
  for (const { text } of Object.values(EXAMPLES)) {
    const whole = text.replace('‹', '');
    if (whole.length < 10_000) isReadAlike(whole);
  }
});

test('damaged playbooks are read alike, or not at all', () => {
  for (const { text } of realPlaybooks('examples')) {
    const lines = text.split('\n');
    for (const damage of Object.values(DAMAGE)) {
      const at = lines.findIndex((line) => damage(line) !== undefined);
      if (at !== -1) isReadAlike(lines.map((line, i) => (i === at ? damage(line)! : line)).join('\n'));
    }
  }
});

/** Pieces of YAML, those that the plain reader leaves included. */
const scalar = fc.constantFrom(
  'word',
  'two words',
  '7',
  '007',
  '-1',
  '+5',
  '1.5',
  '.5',
  '1e3',
  '1e999',
  '0x1F',
  '0o7',
  '.inf',
  '.nan',
  '99999999999999999999',
  'null',
  '~',
  'Null',
  'true',
  'FALSE',
  'yes',
  '-',
  '- x',
  '-x',
  '?',
  ':',
  'a:b',
  'a: b',
  'a:',
  'a #b',
  'a#b',
  '#b',
  '"quoted"',
  '"a \\" b\\n"',
  '"\\u0041"',
  '"open',
  "'it''s'",
  "'x' y",
  '[1, two, "3"]',
  '[]',
  '[ ]',
  '[a, ]',
  '[a: b]',
  '[-]',
  '[- x]',
  '[a #b]',
  '{}',
  '{a: 1, b: [x]}',
  '{a: 1, a: 2}',
  '{a}',
  '{a:1}',
  '{a: }',
  '{"a": 1}',
  '{a: http://x/y, b: c}',
  '{{ x }}',
  '[{{ x }}]',
  '&a x',
  '*a',
  '!!str 7',
  '|',
  '|-',
  '|+',
  '|2',
  '>',
  '>-',
  '| # c',
  '%x',
  '@x',
  '`x`',
  'a, b',
  'a]b',
  '[a]b',
  '{a: b: c}',
  'x\ty',
  '2024-01-01',
  '1_000',
  '=',
  '<<',
  '(a)',
  '[(a), $b, <c]',
  '[a:b, c:]',
  '[a:, b]',
  '!x',
  'é ü 😀',
);
const key = fc.constantFrom(
  'a',
  'b',
  'c-d',
  'e.f',
  '"q"',
  'null',
  'true',
  '<<',
  '1',
  'two words',
  '-',
  '? x',
  'ä',
);
const indent = fc.constantFrom('', '  ', '    ', ' ', '   ');
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(indent, key, scalar).map(([by, k, v]) => `${by}${k}: ${v}`) },
  { weight: 3, arbitrary: fc.tuple(indent, key).map(([by, k]) => `${by}${k}:`) },
  { weight: 3, arbitrary: fc.tuple(indent, scalar).map(([by, v]) => `${by}- ${v}`) },
  { weight: 3, arbitrary: fc.tuple(indent, key, scalar).map(([by, k, v]) => `${by}- ${k}: ${v}`) },
  fc.tuple(indent, key).map(([by, k]) => `${by}- ${k}: |`),
  fc.tuple(indent, scalar).map(([by, v]) => `${by}${v}`),
  fc.constantFrom(
    '',
    '  ',
    '      ',
    '# remark',
    '    # remark',
    '---',
    '...',
    '- - x',
    '-',
    '  -',
    'a: b # c',
    '\tx: 1',
  ),
);

/** Whole documents, most of them right: mappings, lists and texts in each other, remarks and blank lines between. */
const more = (lines: readonly string[], by: string): string[] =>
  lines.map((each) => (each === '' ? '' : by + each));
const { block } = fc.letrec<{ block: string[]; entry: string[]; item: string[] }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(fc.constantFrom('k', 'm'), scalar).map(([k, v]) => [`${k}: ${v}`]),
    fc
      .array(tie('entry'), { minLength: 1, maxLength: 3 })
      .map((all) => all.flatMap((each, i) => each.map((one, n) => (n === 0 ? `k${i}${one}` : one)))),
    fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((all) => all.flat()),
  ),
  entry: fc.oneof(
    scalar.map((v) => [`: ${v}`]),
    fc
      .tuple(tie('block'), fc.constantFrom('', '  ', '    '), fc.constantFrom('', ' # why', ' '))
      .map(([inner, by, remark]) => [`:${remark}`, ...more(inner, by)]),
    fc
      .tuple(
        fc.constantFrom('|', '|-'),
        fc.array(fc.constantFrom('code', '  deeper', '', '# no remark', 'a: b'), {
          minLength: 1,
          maxLength: 4,
        }),
      )
      .map(([head, text]) => [`: ${head}`, ...more(text, '    ')]),
    fc.constantFrom<string[]>([':'], [': 1', ''], [': 1', '# remark'], [': 1', '', '    # remark']),
  ),
  item: fc.oneof(
    scalar.map((v) => [`- ${v}`]),
    tie('block').map(([first, ...rest]) => [`- ${first!}`, ...more(rest, '  ')]),
    tie('block').map((inner) => ['-', ...more(inner, '  ')]),
  ),
}));

test.each([
  ['lines', fc.array(line, { minLength: 1, maxLength: 7 }), 1],
  ['documents', block, 500],
])('random %s of YAML are read alike, or not at all', (_, lines, least) => {
  let read = 0;
  fc.assert(
    fc.property(lines, fc.boolean(), (all, ends) => {
      if (isReadAlike(all.join('\n') + (ends ? '\n' : ''))) read += 1;
    }),
    { numRuns: 2000, seed: 4 },
  );
  expect(read).toBeGreaterThan(least);
});

test.each([
  ['an anchor', 'a: &x 1\nb: *x\n'],
  ['a text of several lines', 'a: one\n  two\n'],
  ['a tab', 'a:\tb\n'],
  ['a key twice', 'a: 1\na: 2\n'],
  ['a second document', 'a: 1\n---\nb: 2\n'],
  ['a template without quotes', 'a: {{ x }}\n'],
  ['Windows line ends', 'a: 1\r\n'],
  ['a value nested too deep', `a: ${'['.repeat(200)}${']'.repeat(200)}\n`],
])('%s is left to the whole parser', (_, text) => {
  expect(readPlain(text)).toBe('left');
  expect(parseFull('a: 1', SILENT)).toBeDefined();
});
