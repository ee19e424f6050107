import fc from 'fast-check';
import { accessOf, type SqlSource, tableNamed } from './sql-tables';

const shown = (source: SqlSource): string =>
  'file' in source
    ? `'${source.file}'`
    : source.table.parts.map(({ text, quoted }) => (quoted ? `"${text}"` : text)).join('.');
const tablesIn = (sql: string): [string[], string[]] => {
  const { reads, writes } = accessOf(sql);
  return [reads.map(shown), writes.map(shown)];
};

test.each<[sql: string, reads: string[], writes: string[]]>([
  ['SELECT * FROM a', ['a'], []],
  ['select x from s.a as t, "My Schema"."B" b, c where 1 = 1', ['s.a', '"My Schema"."B"', 'c'], []],
  ['SELECT * FROM a x LEFT JOIN db.s.b y ON x.i = y.i JOIN c USING (i)', ['a', 'db.s.b', 'c'], []],
  ['SELECT * FROM a, (SELECT * FROM b) q, d', ['a', 'd', 'b'], []],
  ['SELECT * FROM a WHERE i IN (SELECT i FROM b)', ['a', 'b'], []],
  ['WITH q AS (SELECT * FROM a), r (x) AS MATERIALIZED (SELECT 1) SELECT * FROM q JOIN r ON true', ['a'], []],
  ['WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT i FROM t) SELECT * FROM t', [], []],
  ['INSERT INTO a (x, y) SELECT x, y FROM b', ['b'], ['a']],
  ['INSERT INTO a VALUES (1) ON CONFLICT (x) DO UPDATE SET y = excluded.y', [], ['a']],
  ['INSERT OVERWRITE INTO a SELECT * FROM b', ['b'], ['a']],
  ['UPDATE ONLY a SET x = b.x FROM b WHERE a.i = b.i', ['b'], ['a']],
  ['DELETE FROM a USING b WHERE a.i = b.i', ['b'], ['a']],
  ['MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN UPDATE SET x = 1', ['b'], ['a']],
  ['SELECT * FROM a FOR UPDATE OF a', ['a'], []],
  ['SELECT x INTO b FROM a', ['a'], ['b']],
  ['TRUNCATE TABLE a', [], ['a']],
  ['CREATE OR REPLACE TABLE a AS SELECT * FROM b', ['b'], ['a']],
  ['CREATE TABLE IF NOT EXISTS a (i int REFERENCES b)', [], []],
  ['CREATE TEMP TABLE t AS SELECT * FROM a; INSERT INTO b SELECT * FROM t', ['a'], ['b']],
  ['COPY a (x) FROM STDIN', [], ['a']],
  ["COPY (SELECT * FROM a) TO 'out.parquet' (FORMAT parquet)", ['a'], ["'out.parquet'"]],
  ["COPY a TO 's3://b/k.csv'", ['a'], ["'s3://b/k.csv'"]],
  [
    "SELECT * FROM read_csv('gs://b/in.csv', header = true) x, 'local.parquet'",
    ["'gs://b/in.csv'", "'local.parquet'"],
    [],
  ],
  ['SELECT * FROM generate_series(1, 3) g, unnest(ARRAY[1]) u, LATERAL (SELECT 1) l, a', ['a'], []],
  ['SELECT extract(year FROM t), trim(both FROM u), a IS DISTINCT FROM b FROM c', ['c'], []],
  ["SELECT 'FROM x' -- FROM y\n /* FROM z */ FROM a", ['a'], []],
  ["SELECT $$ FROM x $$, $t$ FROM y $t$, E'it\\'s FROM z', 'it''s FROM q' FROM a", ['a'], []],
  ['SELECT * FROM `p.d.t`', ['"p.d.t"'], []],
  ['', [], []],
  ['SELECT 1', [], []],
])('%s', (sql, reads, writes) => {
  expect(tablesIn(sql)).toEqual([reads, writes]);
});

test('a table in a field of a tool is a name, or nothing', () => {
  expect(tableNamed('s.a')).toEqual({
    parts: [
      { text: 's', quoted: false },
      { text: 'a', quoted: false },
    ],
  });
  for (const text of ['', 'a b', 'a; DROP TABLE b', '{{ x }}', "'a'"])
    expect(tableNamed(text)).toBeUndefined();
});

test('whatever is written, the answer comes, and in time', () => {
  const word = fc.constantFrom(
    'FROM',
    'a',
    ',',
    '(',
    ')',
    '.',
    "'",
    '"',
    'WITH',
    'AS',
    'COPY',
    'TO',
    '$',
    '--',
    'INTO',
    ';',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 300 }), (words) => {
      accessOf(words.join(' '));
    }),
  );
});
