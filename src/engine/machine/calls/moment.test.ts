import { deadlineOf } from './wait';

describe('moments', () => {
  it.each([
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12)],
    ['2024-12-31T23:59:59.250+05:30', Date.UTC(2024, 11, 31, 18, 29, 59, 250)],
    ['2024-01-01 00:00-08:00', Date.UTC(2024, 0, 1, 8)],
    ['2024-06-01T10:00:00', Date.UTC(2024, 5, 1, 10)],
    [1_700_000_000, 1_700_000_000_000],
    ['1700000000.5', 1_700_000_000_500],
    [1_700_000_000.123456, 1_700_000_000_123],
  ])('%p is %p', (written, at) => expect(deadlineOf(written)).toBe(at));

  it.each([
    'tomorrow',
    '2024-13-01T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-01-01T25:00:00Z',
    '',
    ' ',
    null,
    {},
  ])('%p is none', (written) => expect(deadlineOf(written)).toBeUndefined());
});
