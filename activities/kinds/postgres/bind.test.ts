import { type Json } from '../../../src/language/plan';
import { splitStatements } from '../../framework/sql/split';
import { bind, placeholderHint, type Bound } from './bind';

const bound = (sql: string, params?: Json): Bound => bind(splitStatements(sql)[0]!, params);

test.each([
  ['select 1 where 1 IN (:list)', '= ANY(:list)'],
  ['select 1 where id not in ( %(list)s )', '<> ALL(%(list)s)'],
  ['select 1 where id IN(:list) and x = 1', '= ANY(:list)'],
])('%s compares with the list as one value', (sql, instead) => {
  expect(() => bound(sql, { list: [1, 2] })).toThrow(`write \`${instead}\``);
});

test('a list as $1 is refused there too', () => {
  expect(() => bound('select 1 where id in ($1)', [[1, 2]])).toThrow('write `= ANY($1)`');
});

test.each([
  ['select 1 where id = ANY(:list)', { list: [1, 2] }],
  ['select 1 where id in (:a, :b)', { a: 1, b: 2 }],
  ['select 1 where id in (:a)', { a: 1 }],
  ['select 1 where id in (select unnest(:list::int[]))', { list: [1] }],
  ['select min(:list)', { list: [1] }],
])('%s is what it says', (sql, params) => {
  expect(() => bound(sql, params)).not.toThrow();
});

test('beside %(name)s a percent sign is doubled, elsewhere it is not', () => {
  const params = { one: 1 };
  expect(bound("select '100%%', 10 %% %(one)s", params).text).toBe("select '100%', 10 % $1");
  expect(bound("select '100%%', :one", params).text).toBe("select '100%%', $1");
  expect(bound("select '100%%'", params).text).toBe("select '100%%'");
  expect(bound("select '100%%', 10 %% %(one)s").text).toBe("select '100%%', 10 %% %(one)s");
});

test('where Postgres stops at a placeholder, it is named', () => {
  const one = bound('select :one::int as a, b from t where c = :nope', { one: 1 });
  expect(one.text).toBe('select $1::int as a, b from t where c = :nope');
  const position = one.text.indexOf(':nope') + 1;
  expect(placeholderHint(one, position)).toBe(':nope is not in `params`');
  expect(placeholderHint(one, 1)).toBeUndefined();
  expect(placeholderHint(bound('select :nope'), 8)).toBe(':nope is not in `params`');
});

test('a list is JSON where the statement says so, whatever it has, and an array elsewhere', () => {
  const { text, values } = bound(
    'select :a::jsonb, :a, CAST(:a AS json), :a :: JSONB, :a::jsonb[], :b::jsonb',
    {
      a: [],
      b: 'null',
    },
  );
  expect(text).toBe('select $1::jsonb, $2, CAST($1 AS json), $1 :: JSONB, $2::jsonb[], $3::jsonb');
  expect(values).toEqual(['[]', [], 'null']);
  expect(bound('select $1::jsonb, $2', [[1, 'a'], [1]]).values).toEqual(['[1,"a"]', [1]]);
});
