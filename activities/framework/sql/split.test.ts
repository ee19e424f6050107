import { splitStatements } from './split';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';

const texts = (sql: string): string[] => splitStatements(sql).map((one) => one.text);
const names = (sql: string): (string | number)[] =>
  splitStatements(sql).flatMap((one) => one.parameters.map((p) => p.name));

describe('statements', () => {
  test.each<[string, string, string[]]>([
    ['plain', 'select 1; select 2', ['select 1', 'select 2']],
    ['blank and empty ones left out', ' ; ;select 1;;\n', ['select 1']],
    ['comments alone left out', '-- a;b\n/* c;d */ ; select 1', ['select 1']],
    [
      'semicolons in quotes',
      `select 'a;b', "c;d"; select 'it''s;'`,
      [`select 'a;b', "c;d"`, `select 'it''s;'`],
    ],
    ['a backslash is plain in a standard string', `select 'a\\'; select 'b'`, [`select 'a\\'`, `select 'b'`]],
    [
      'and escapes in an E string',
      `select E'a\\';b'; select e'\\\\'; select 3`,
      [`select E'a\\';b'`, `select e'\\\\'`, 'select 3'],
    ],
    ['a name that ends in e is no E string', `select type'a\\'; select 2`, [`select type'a\\'`, 'select 2']],
    [
      'dollar quotes',
      'do $$ begin; end $$; select $a$ $$;$b$ $a$',
      ['do $$ begin; end $$', 'select $a$ $$;$b$ $a$'],
    ],
    ['$1 is no dollar quote', 'select $1;select $2', ['select $1', 'select $2']],
    ['a dollar in a name neither', 'select a$b$c; select 2', ['select a$b$c', 'select 2']],
    ['line comments', "select 1 -- it's; not\n, 2; select 3", ["select 1 -- it's; not\n, 2", 'select 3']],
    [
      'nested block comments',
      'select /* a /* ; */ ; */ 1; select 2',
      ['select /* a /* ; */ ; */ 1', 'select 2'],
    ],
    ['unclosed things run to the end', "select 'a; b", ["select 'a; b"]],
    [
      'SQL function bodies',
      'create function f() returns int begin atomic select 1; select case when true then 2 end; end; select 3',
      [
        'create function f() returns int begin atomic select 1; select case when true then 2 end; end',
        'select 3',
      ],
    ],
    ['begin as a statement', 'begin; select 1; end; select 2', ['begin', 'select 1', 'end', 'select 2']],
  ])('%s', (_name, sql, expected) => {
    expect(texts(sql)).toEqual(expected);
  });

  test('splitting is linear: a megabyte of statements takes no minutes', async () => {
    const text = "insert into t values ('it''s', 1);\n".repeat(30_000);
    const took = await processorMs(() => expect(texts(text)).toHaveLength(30_000));
    expect(took).toBeLessThan(EXPLODED_MS);
  });
});

describe('parameters', () => {
  test.each<[string, string, (string | number)[]]>([
    ['numbers and names', 'select $1, :a, %(b)s', [1, 'a', 'b']],
    ['never a cast', 'select x::int, :a::text', ['a']],
    ['never in quotes or comments', `select ':a', ":b", $$ :c $$, E'\\':d' -- :e\n/* $1 */`, []],
    ['never an assignment', 'call f(a := 1)', []],
    ['a time of day is no name', "select time '10:30'", []],
    ['a remainder is no parameter', 'select 5 %(2)', []],
  ])('%s', (_name, sql, expected) => {
    expect(names(sql)).toEqual(expected);
  });

  test('offsets are those of the statement', () => {
    const [, second] = splitStatements('select 1;\n  select :a');
    expect(second).toEqual({ text: 'select :a', parameters: [{ start: 7, end: 9, name: 'a' }] });
  });
});
