import { computedNumber, exactNumber, isoTimestamp } from './values';

test.each([
  ['1', 1],
  ['-0.50', -0.5],
  ['0.0000', 0],
  ['100', 100],
  ['100.00', 100],
  ['9007199254740992', '9007199254740992'],
  ['0.1234567890123456789', '0.1234567890123456789'],
  ['NaN', null],
  ['Infinity', null],
])('%s as a stored value is %j', (text, expected) => {
  expect(exactNumber(text)).toBe(expected);
});

test.each([
  ['21.6666666666666667', 21.666666666666668],
  ['12345678901234567890', '12345678901234567890'],
  ['12345678901234567890.5', '12345678901234567890.5'],
])('%s as a computed value is %j', (text, expected) => {
  expect(computedNumber(text)).toBe(expected);
});

test.each([
  ['2026-11-21 08:52:02.369356+00', '2026-11-21T08:52:02.369356+00:00'],
  ['2026-11-21 08:52:02-03:30', '2026-11-21T08:52:02-03:30'],
  ['2026-11-21 08:52:02', '2026-11-21T08:52:02'],
  ['0044-03-15 00:00:00 BC', '0044-03-15 00:00:00 BC'],
  ['-infinity', '-infinity'],
])('%s is %s', (text, expected) => {
  expect(isoTimestamp(text)).toBe(expected);
});
