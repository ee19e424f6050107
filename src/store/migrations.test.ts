import { migrations } from './migrate';

test('every migration has a number of its own: branches that add one each may choose the same', () => {
  const numbers = migrations().map(({ number }) => number);
  expect([...new Set(numbers)]).toEqual(numbers);
});
