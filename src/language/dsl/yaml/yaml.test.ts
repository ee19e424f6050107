import { compile } from '../compile';
import { Findings } from '../diagnostics/diagnostic';
import { LineIndex } from './lines';
import { type YamlNode } from './node';
import { parseYaml } from './parse';

function read(text: string): YamlNode {
  return parseYaml(text, new Findings(new LineIndex(text), {}))!;
}

/** The text each character of the scalar at `a` was read from, joined. */
function traced(text: string): { value: string; origin: string } {
  const root = read(text);
  const node = root.kind === 'map' ? root.entries[0]!.value : root;
  if (node.kind !== 'scalar') throw new Error('no scalar');
  const value = String(node.value);
  const origin = [...value.split('').keys()].map((i) => text[node.offsetOf(i)]).join('');
  return { value, origin };
}

describe('characters of a scalar know where they stand', () => {
  test.each([
    ['plain', 'a: foo {{ x }} bar\n'],
    ['single quotes', "a: 'foo {{ x }} bar'\n"],
    ['double quotes', 'a: "foo {{ x }} bar"\n'],
    ['literal block', 'a: |\n  foo\n    {{ x }}\n  bar\n'],
    ['literal block with an indicator', 'a: |2\n    foo\n  {{ x }}\n'],
    ['CRLF', 'a: |\r\n  foo\r\n  {{ x }}\r\n'],
  ])('%s: letters come from themselves', (_name, text) => {
    const { value, origin } = traced(text);
    const letters = (each: string): string => each.replace(/\s/g, ' ');
    expect(letters(origin)).toBe(letters(value));
  });

  test('folded lines: the break counts as the blank', () => {
    const { value, origin } = traced('a: >\n  foo\n  bar\n\n  baz {{ x }}\n');
    expect(value).toBe('foo bar\nbaz {{ x }}\n');
    expect(origin).toBe('foo\nbar\nbaz {{ x }}\n');
  });

  test('a quoted text over several lines, with escapes', () => {
    const text = 'a: "one \\\n   \\ two\\n{{ x\\t}} \\U0001F600z"\n';
    const root = read(text);
    const node = root.kind === 'map' ? root.entries[0]!.value : root;
    if (node.kind !== 'scalar' || typeof node.value !== 'string') throw new Error('no text');
    expect(node.value).toBe('one  two\n{{ x\t}} \u{1F600}z');
    expect(text[node.offsetOf(node.value.indexOf('x'))]).toBe('x');
    expect(text.startsWith('two', node.offsetOf(node.value.indexOf('two')))).toBe(true);
    expect(text[node.offsetOf(node.value.indexOf('z'))]).toBe('z');
  });

  test('doubled single quotes', () => {
    const text = "a: 'it''s {{ x }}'\n";
    const { value } = traced(text);
    const root = read(text);
    const node = root.kind === 'map' ? root.entries[0]!.value : root;
    expect(node.kind === 'scalar' && text[node.offsetOf(value.indexOf('x'))]).toBe('x');
  });

  test.each(['|', '>'])(
    'a misspelt name in a block scalar (%s) is found in its own line and column',
    (style) => {
      const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: example}
workload: {schema: public}
workflow:
  - step: start
    tool:
      kind: postgres
      query: ${style}
        select *
        from   {{ shcema }}.t
`;
      const [found] = compile(text).diagnostics.filter((each) => each.code === 'NT3011');
      expect([found?.line, found?.column, found?.endColumn]).toEqual([11, 19, 25]);
      expect(found?.path).toBe('workflow[0].tool.query');
    },
  );
});

describe('aliases and merge keys', () => {
  test('a merge key lays the anchor under the own keys', () => {
    const root = read('base: &b {x: 1, y: 1}\nother: {<<: *b, y: 2}\n');
    const other = root.kind === 'map' ? root.entries[1]!.value : root;
    expect(
      other.kind === 'map' &&
        other.entries.map((each) => [each.key, each.value.kind === 'scalar' && each.value.value]),
    ).toEqual([
      ['y', 2],
      ['x', 1],
    ]);
  });

  test('of several merged mappings the first wins', () => {
    const root = read('a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc: {<<: [*a, *b]}\n');
    const c = root.kind === 'map' ? root.entries[2]!.value : root;
    expect(
      c.kind === 'map' &&
        c.entries.map((each) => [each.key, each.value.kind === 'scalar' && each.value.value]),
    ).toEqual([
      ['x', 1],
      ['z', 3],
    ]);
  });

  test('an alias inside of its own anchor is refused', () => {
    expect(compile('workload: &a {b: *a}\n').diagnostics.map((each) => each.code)).toContain('NT1012');
  });
});

describe('hostile input ends in a diagnostic, soon', () => {
  const bomb = `a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]\n`).join('')}`;
  const many = Array.from({ length: 100_000 }, (_, i) => `- {step: s${i}, tool: {kind: noop}}\n`).join('');
  test.each<[string, string, string]>([
    ['a billion laughs', bomb, 'NT1006'],
    ['50 MB', 'x'.repeat(50 * 1024 * 1024), 'NT1006'],
    ['100,000 steps', `workflow:\n${many}`, 'NT1006'],
    ['10,000 open brackets', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'NT1007'],
    ['10,000 dashes', `${'- '.repeat(10_000)}x`, 'NT1007'],
    [
      '3,000 levels of indentation',
      Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
      'NT1007',
    ],
    ['a NUL byte', 'apiVersion: noetl\0io\n', 'NT1008'],
    ['a lone surrogate', 'a: \ud800\n', 'NT1008'],
    ['an escaped lone surrogate', 'a: "\\ud800"\n', 'NT1008'],
    ['an empty file', '', 'NT1011'],
    ['only a comment', '# nothing\n', 'NT1011'],
  ])('%s', (_name, text, code) => {
    // Time of the processor: what else the machine does is none of this test.
    const before = process.cpuUsage();
    const { plan, diagnostics } = compile(text);
    expect(plan).toBeUndefined();
    expect(diagnostics.map((each) => each.code)).toContain(code);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(15);
  });

  test.each([
    '{',
    '"',
    '&a',
    '*',
    '- ? :',
    '%YAML 9',
    '!!binary x',
    '\ufeff',
    '---\n...\n---',
    '{a: b',
    "'",
    ': :',
    '<<: 1',
    '? \n: ',
  ])('%j', (text) => {
    expect(compile(text).diagnostics.some((each) => each.severity === 'error')).toBe(true);
  });
});

describe('one mistake is told where it is', () => {
  const said = (text: string): string[] =>
    compile(text).diagnostics.map((each) => `${each.line}:${each.column} ${each.code}`);

  test('a text of several lines in quotes above it is not blamed', () => {
    expect(said('code: "a\n  b"\ndesc: [Fetch\nkind: x\n')[0]).not.toMatch(/^1:/);
    expect(said('desc: "not closed\nkind: "x"\n')[0]).toMatch(/^1:/);
  });

  test('a line indented too deep is told once', () => {
    expect(said('tool:\n  kind: python\n   code: x\n')).toEqual(['2:9 NT1001']);
  });

  test('a second document is told of, whatever is wrong in it', () => {
    expect(said('kind: Playbook\n---\n    - a: 1\n- b\n')).toEqual(['2:1 NT1003']);
  });
});

describe('what the parser complains of is told where it was made', () => {
  const CLOSE_IT = 'write its `}` or `]`, and quote a value that contains a bracket';
  const INDENT_IT = 'indent each line of the text deeper than its key';
  const COLON = 'is a `:` missing after the key, or the indentation of this line wrong?';
  const ONE_COLUMN = 'align the keys of a mapping, and the dashes of a list, in one column';

  test.each([
    ['a mapping in braces', 'a:\n  tool: { kind: noop\n  next: {x: 1}\n', 2, 9, CLOSE_IT],
    ['one at the end', 'a: { kind: noop\n', 1, 4, CLOSE_IT],
    ['a list in a mapping in braces', 'a: {b: {c: 1}, d: [1, 2}\n', 1, 19, CLOSE_IT],
    ['text of code', 'a:\n  code: |\n  x = 1\n  y = {"a": x}\n', 2, 9, INDENT_IT],
    ['text of SQL', 'a:\n  - q: >-\n    SELECT 1\n    x: 1\n', 2, 8, INDENT_IT],
    [
      'text less deep than its key',
      'a:\n    code: | # Python\n  import os\n  import sys\n',
      2,
      11,
      INDENT_IT,
    ],
    ['text that begins as a key', 'a:\n  code: |\n  def f():\n  return 1\n', 2, 9, INDENT_IT],
    ['a key less deep than its neighbours', 'a:\n  - b: 1\n    c: 2\n   d: 3\n', 4, 1, ONE_COLUMN],
    [
      'a key without a colon, after a text that is indented',
      'a:\n  q: |\n    SELECT\n  b: 1\n  c\n',
      5,
      3,
      COLON,
    ],
  ])('%s', (_what, text, line, column, hint) => {
    const [first] = compile(text).diagnostics;
    expect(first).toMatchObject({ code: 'NT1001', line, column, hint });
  });
});

test('what has a key that cannot be read ends behind it all the same', () => {
  const text = 'a:\n  - b:\n      : { c: 1 }\nd: 1\n';
  const ends: number[] = [];
  const visit = (node: YamlNode): void => {
    if (node.kind !== 'scalar') ends.push(node.end);
    if (node.kind === 'map') node.entries.forEach(({ value }) => visit(value));
    if (node.kind === 'list') node.items.forEach(visit);
  };
  visit(read(text));
  const behind = text.indexOf('\nd');
  expect(ends).toEqual([text.length - 1, behind, behind, behind]);
});
