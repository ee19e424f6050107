import { objectsIn } from './objects';

test('objects come in the order of JSON, outermost first, and none inside of a whole one', () => {
  const value = { a: { n: 1, b: [{ n: 2 }] }, c: { whole: true, d: { n: 3 } }, e: null, f: 'text' };
  const numbers = (isWhole?: (part: object) => boolean) =>
    [...objectsIn(value, isWhole)].flatMap(({ n }) => (n === undefined ? [] : [n]));
  expect(numbers()).toEqual([1, 2, 3]);
  expect(numbers((part) => 'whole' in part)).toEqual([1, 2]);
  expect([...objectsIn('text'), ...objectsIn(null), ...objectsIn(undefined)]).toEqual([]);
});

test('a list of any length is walked', () => {
  const rows = Array.from({ length: 300_000 }, () => ({}));
  expect([...objectsIn(rows)]).toHaveLength(300_001);
});
