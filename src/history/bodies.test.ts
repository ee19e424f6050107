import { boundedValue, withoutLargeBodies } from './bodies';

const big = 'x'.repeat(2000);

it('leaves a payload below the limit as it is, the very object', () => {
  const payload = { input: { a: 1 }, kind: 'http' };
  expect(withoutLargeBodies(payload, 1000, '7/0/3/0')).toBe(payload);
});

it('replaces the member that is too large, and keeps its neighbours', () => {
  const { input, kind } = withoutLargeBodies({ input: { 'a/b': big, n: 1 }, kind: 'http' }, 1000, '7/0/3/0');
  expect({ input, kind }).toEqual({
    kind: 'http',
    input: {
      n: 1,
      'a/b': {
        store: 'history',
        key: '7/0/3/0',
        range: '/payload/input/a~1b',
        size: 2002,
        checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
        schema_hint: { type: 'string' },
      },
    },
  });
});

it('replaces a whole field of many small members, but never the status of an outcome', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]));
  expect(withoutLargeBodies({ patch: many }, 1000, 'e').patch).toMatchObject({ range: '/payload/patch' });
  const outcome = { status: 'ok', ...many };
  expect(withoutLargeBodies({ outcome }, 1000, 'e').outcome).toMatchObject({ status: 'ok', k3: 3 });
});

it('takes the reference that a stored result brought along, and never hides an error', () => {
  const ref = { store: 'file', key: 'k' };
  const outcome = { status: 'ok', result: big, meta: { ref } };
  expect(withoutLargeBodies({ outcome }, 1000, 'e').outcome).toMatchObject({ status: 'ok', result: ref });
  const failed = { error: { code: 'X', message: big } };
  expect(withoutLargeBodies(failed, 1000, 'e')).toBe(failed);
});

it.each([
  ['x'.repeat(98), false],
  ['x'.repeat(99), true],
  [Array.from({ length: 30 }, () => 1), false],
  [Array.from({ length: 60 }, () => 1), true],
  [{ a: { b: { c: 'x'.repeat(100) } } }, true],
])('are above the limit or not: case %#', (value, above) => {
  expect(boundedValue('v', value, 100, 'e')).toEqual(
    above ? expect.objectContaining({ store: 'history', range: '/ctx/v' }) : value,
  );
});
