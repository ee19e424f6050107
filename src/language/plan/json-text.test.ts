import fc from 'fast-check';
import { jsonOrNull, parseJson } from './json-text';

test.each([
  ['{"id": 9007199254740993}', { id: '9007199254740993' }],
  ['[-9007199254740993, 18446744073709551615]', ['-9007199254740993', '18446744073709551615']],
  ['9007199254740991', 9007199254740991],
  ['[9007199254740992, 1e300, 0.12345678901234567890]', ['9007199254740992', 1e300, 0.12345678901234568]],
  [
    '{"9007199254740993": "9007199254740993 \\" 9007199254740993"}',
    { '9007199254740993': '9007199254740993 " 9007199254740993' },
  ],
  ['["\\\\", 12345678901234567890]', ['\\', '12345678901234567890']],
  ['["2026-11-21T08:52:02.1234567890123456789"]', ['2026-11-21T08:52:02.1234567890123456789']],
])('%s', (text, data) => {
  expect(parseJson(text)).toEqual(data);
});

test('what is no JSON stays none', () => {
  expect(() => parseJson('{"id": 9007199254740993')).toThrow(SyntaxError);
  expect(jsonOrNull('90071992547409931 x')).toBeNull();
});

test('what JavaScript can hold is as JavaScript reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }), (value, large) => {
      const text = JSON.stringify([value, 'LARGE']).replace('"LARGE"', String(large));
      // Numbers that JavaScript writes in full beyond 2^53 are no longer what was meant: they come as text too.
      const [read, digits] = parseJson(text) as [unknown, string];
      expect(digits).toBe(String(large));
      expect(JSON.stringify(read, unquoted)).toBe(JSON.stringify(value, unquoted));
    }),
  );
});

/** Large numbers and their texts as the same. */
function unquoted(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{16,}$/.test(value) ? Number(value) : value;
}

test('long texts are read in time', () => {
  const text = JSON.stringify({ text: 'x\\"1'.repeat(2_000_000), n: 1 }).replace(
    '"n":1',
    '"n":12345678901234567890',
  );
  expect((parseJson(text) as { n: string }).n).toBe('12345678901234567890');
});
