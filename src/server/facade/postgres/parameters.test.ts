import { parametersOf } from './parameters';

test.each([
  ['SELECT 1; SELECT 2', undefined, 'SELECT 1; SELECT 2', undefined],
  ['SELECT $1', [1], 'SELECT $1', [1]],
  ['SELECT %s, %s', [1, 'b'], 'SELECT $1, $2', [1, 'b']],
  ['SELECT %s', 7, 'SELECT $1', [7]],
  ['SELECT %(a)s, %(b)s, %(a)s', { a: 1, b: 2 }, 'SELECT $1, $2, $1', [1, 2]],
  ['SELECT %(missing)s', {}, 'SELECT $1', [null]],
  ['SELECT \'%s\', "%s" -- %s\n, %s /* %s */ %% 2', [5], 'SELECT \'%s\', "%s" -- %s\n, $1 /* %s */ % 2', [5]],
  ['SELECT $a$%s$a$, %s', [5], 'SELECT $a$%s$a$, $1', [5]],
] as const)('%s with %j', (sql, parameters, text, values) => {
  expect(parametersOf(sql, parameters)).toEqual({ text, ...(values && { values }) });
});
