import { besidesItself } from './trigger-credentials';

const HERE = { host: '127.0.0.1', port: 8082 };

test.each([
  ['http://127.0.0.1:8082', HERE],
  ['http://localhost:8082/', HERE],
  ['http://[::1]:8082', HERE],
  ['http://10.0.0.7:8082', { host: '10.0.0.7', port: 8082 }],
  ['http://localhost', { host: '127.0.0.1', port: 80 }],
])('%s is this process: it is not asked', (NOETL_FACADE_URL, place) => {
  expect(besidesItself(place, { NOETL_FACADE_URL, NOETL_TOKEN: 't' })).toEqual({ NOETL_TOKEN: 't' });
});

test.each([['http://127.0.0.1:8083'], ['https://localhost'], ['http://facade:8082'], [undefined]])(
  '%s is not: it is asked, if there is one',
  (NOETL_FACADE_URL) => {
    const env = { ...(NOETL_FACADE_URL && { NOETL_FACADE_URL }), NOETL_TOKEN: 't' };
    expect(besidesItself(HERE, env)).toBe(env);
  },
);
