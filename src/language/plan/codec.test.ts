import { canonicalJson } from './codec';

describe('canonical JSON', () => {
  test('sorts keys at every depth and leaves lists alone', () => {
    expect(canonicalJson({ b: [2, 1, { d: 1, c: null }], a: 'x' })).toBe(
      '{"a":"x","b":[2,1,{"c":null,"d":1}]}',
    );
  });

  test('leaves out what is undefined, keeps __proto__ as data', () => {
    expect(canonicalJson({ a: undefined, ...JSON.parse('{"__proto__": 1}') })).toBe('{"__proto__":1}');
  });

  test.each([NaN, Infinity, undefined, () => 1, 1n])('refuses %p', (value) => {
    expect(() => canonicalJson([value])).toThrow(TypeError);
  });

  test('agrees with JSON about everything else', () => {
    const value = [1.5, -0, 1e21, '\u2028"\\', true, null, {}];
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });
});
