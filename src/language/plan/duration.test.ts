import { duration } from './duration';

test.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [16_400, '16.4 s'],
  [59_949, '59.9 s'],
  [59_980, '1 min'],
  [60_000, '1 min'],
  [125_900, '2 min 5 s'],
  [647_600, '10 min 47 s'],
  [3_599_999, '59 min 59 s'],
  [3_840_000, '1 h 4 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
