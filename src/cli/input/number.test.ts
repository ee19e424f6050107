import { milliseconds } from './number';

test.each([
  ['90', 90_000],
  ['1.5s', 1_500],
  ['500ms', 500],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  ['1h30m', 5_400_000],
  ['PT5M', 300_000],
  ['1w', 604_800_000],
])('%s', (text, value) => expect(milliseconds(text, '--timeout')).toBe(value));

test.each(['', 'x', '-1', '5 days'])('%p is refused', (text) => {
  expect(() => milliseconds(text, '--timeout')).toThrow('--timeout');
});
