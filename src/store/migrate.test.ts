import { migrations } from './migrate';

test('each migration has a number of its own', () => {
  const numbers = migrations().map(({ number }) => number);
  expect(numbers.length).toBeGreaterThan(8);
  expect(new Set(numbers).size).toBe(numbers.length);
});
