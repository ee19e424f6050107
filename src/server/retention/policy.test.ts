import { parseRetention, shortestHours } from './policy';

test.each([
  ['90d', [{ pattern: '*', hours: 2160 }], 2160],
  ['6h', [{ pattern: '*', hours: 6 }], 6],
  [
    '90d, etl/hourly/*=7d , audits/*=keep',
    [{ pattern: 'etl/hourly/*', hours: 168 }, { pattern: 'audits/*' }, { pattern: '*', hours: 2160 }],
    168,
  ],
  [
    'etl/x=1d, 2h',
    [
      { pattern: 'etl/x', hours: 24 },
      { pattern: '*', hours: 2 },
    ],
    2,
  ],
  ['keep', [{ pattern: '*' }], undefined],
])('%s', (text, rules, shortest) => {
  const policy = parseRetention(text);
  expect(policy.rules).toEqual(rules);
  expect(shortestHours(policy)).toBe(shortest);
});

test.each(['', '90', '0d', '90d, 30d', 'a=b=7d', '=7d', '-3d', '0h', '9m'])('%j is refused', (text) => {
  expect(() => parseRetention(text)).toThrow(expect.objectContaining({ code: 'RETENTION_INVALID' }) as Error);
});
