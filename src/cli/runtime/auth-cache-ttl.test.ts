import { authCacheTtl } from './auth-cache-ttl';

test('the option wins over the variable, and one hour holds where neither says anything', () => {
  const env = { NOETL_AUTH_CACHE_TTL: '5m' };
  expect([authCacheTtl('2h', env), authCacheTtl(undefined, env), authCacheTtl(undefined, {})]).toEqual([
    7_200_000, 300_000, 3_600_000,
  ]);
});

test.each([
  ['soon', /--auth-cache-ttl soon: expected a time/],
  ['10ms', /--auth-cache-ttl 10ms: expected 1s to 1d/],
  ['2d', /--auth-cache-ttl 2d: expected 1s to 1d/],
])('%s is refused', (text, message) => expect(() => authCacheTtl(text, {})).toThrow(message));

test('a wrong variable is named', () => {
  expect(() => authCacheTtl(undefined, { NOETL_AUTH_CACHE_TTL: 'x' })).toThrow('NOETL_AUTH_CACHE_TTL x');
});
