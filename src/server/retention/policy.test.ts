import { parseRetention, shortestDays } from './policy';

test.each([
  ['90d', [{ pattern: '*', days: 90 }], 90],
  [
    '90d, etl/hourly/*=7d , audits/*=keep',
    [{ pattern: 'etl/hourly/*', days: 7 }, { pattern: 'audits/*' }, { pattern: '*', days: 90 }],
    7,
  ],
  ['etl/x=1d', [{ pattern: 'etl/x', days: 1 }], 1],
  ['keep', [{ pattern: '*' }], undefined],
])('%s', (text, rules, shortest) => {
  const policy = parseRetention(text);
  expect(policy.rules).toEqual(rules);
  expect(shortestDays(policy)).toBe(shortest);
});

test.each(['', '90', '0d', '90d, 30d', 'a=b=7d', '=7d', '-3d', '9h'])('%j is refused', (text) => {
  expect(() => parseRetention(text)).toThrow(expect.objectContaining({ code: 'RETENTION_INVALID' }) as Error);
});
