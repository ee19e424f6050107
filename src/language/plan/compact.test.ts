import { compact } from '.';

test('compact drops what is undefined and nothing else, in the order given', () => {
  const made = compact({ a: undefined, b: null, c: 0, d: '', e: false });
  expect(Object.entries(made)).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
  ]);
});
