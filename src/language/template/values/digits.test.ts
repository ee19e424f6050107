import fc from 'fast-check';
import { evaluate, parseTemplate, TemplateError } from '..';
import { isBigInteger, losesDigits, numberOf } from './digits';

const BIG = '7615917337495251231';

function value(expression: string, names: Record<string, unknown> = {}): unknown {
  const template = parseTemplate(expression.includes('{{') ? expression : `{{ ${expression} }}`);
  return evaluate(template, { lookup: (name) => names[name] });
}

function failure(expression: string, names: Record<string, unknown> = {}): string {
  try {
    return `no error: ${JSON.stringify(value(expression, names))}`;
  } catch (error) {
    if (error instanceof TemplateError) return `${error.code} ${error.message}`;
    throw error;
  }
}

/** As it is read from JSON: text beyond 2^53. */
const read = (n: bigint): unknown => numberOf(String(n));

const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -(2n ** 53n) - 3n, max: 3n - 2n ** 53n }),
  fc.bigInt({ min: -10n, max: 10n }),
);

describe('integers beyond 2^53', () => {
  it('are compared by value with each other and with numbers', () => {
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        const names = { a: read(a), b: read(b) };
        expect(value('[a < b, a <= b, a == b, a != b, a in [b]]', names)).toEqual([
          a < b,
          a <= b,
          a === b,
          a !== b,
          a === b,
        ]);
        expect(value(`a == ${b} and ${b} == a`, names)).toBe(a === b);
      }),
    );
  });

  it('are sorted by value, and the extremes, groups and different ones found', () => {
    fc.assert(
      fc.property(fc.array(integer, { minLength: 1 }), (numbers) => {
        const names = { xs: numbers.map(read), rows: numbers.map((n) => ({ n: read(n) })) };
        const sorted = [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const different = sorted.filter((n, i) => n !== sorted[i - 1]).map(read);
        expect(value('xs | sort', names)).toEqual(sorted.map(read));
        expect(value('[xs | min, xs | max]', names)).toEqual([read(sorted[0]!), read(sorted.at(-1)!)]);
        expect(value("rows | groupby('n') | map('first') | list", names)).toEqual(different);
        expect(value('xs | unique | sort', names)).toEqual(different);
      }),
    );
  });

  it('are compared with doubles, infinity and NaN', () => {
    const names = { big: BIG, low: `-${BIG}`, double: Number(BIG), exact: '9007199254740992' };
    expect(value('[big > 1e300, big < 1e300, low > 0.5, big == double, big > double]', names)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(value("[exact == 2.0 ** 53, big < 'inf' | float, low < '-inf' | float]", names)).toEqual([
      true,
      true,
      false,
    ]);
    expect(value("[big == 'nan' | float, big < 'nan' | float, big == true]", names)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('are one order with texts of another kind only as texts', () => {
    const names = { xs: ['9007199254740993', '10000000000000000000', '5', 'a'] };
    expect(value('xs | sort', names)).toEqual(['10000000000000000000', '5', '9007199254740993', 'a']);
  });

  it.each([
    ['big + 1', 'NT4110', '| int'],
    ['1 + big', 'NT4110', '| int'],
    ['big * 2', 'NT4110', '| int'],
    ['big % 10', 'NT4110', '| int'],
    ['big + big', 'NT4110', 'use ~ to join'],
    ['[1, big] | sum', 'NT4110', '| int'],
    ['big | int', 'NT4112', '| string'],
    ['9007199254740991 + 1', 'NT4112', '| string'],
    ['[9007199254740991, 5] | sum', 'NT4112', '| string'],
    ['{"a": [2 ** 63]}', 'NT4112', '| string'],
    [BIG, 'NT4112', '| string'],
    ['1e308 * 10', 'NT4112', 'double'],
    ['"[1e400]" | fromjson', 'NT4112', '1e400'],
  ])('%s is the error %s, whose message offers %s', (expression, code, mend) => {
    const message = failure(expression, { big: BIG });
    expect(message).toContain(code);
    expect(message).toContain(mend);
  });

  it('are computed exactly, and written as text', () => {
    const names = { big: BIG, safe: 9007199254740991 };
    expect(value('{{ (big | int + 1) | string }}', names)).toBe('7615917337495251232');
    expect(value('x{{ big | int + 1 }}', names)).toBe('x7615917337495251232');
    expect(value('{{ big | int - (big | int) + safe }}', names)).toBe(9007199254740991);
    expect(value("'a' ~ big ~ 'b'", names)).toBe(`a${BIG}b`);
    expect(value(`'{"id": ${BIG}, "n": [-${BIG}, 1.0]}' | fromjson`)).toEqual({ id: BIG, n: [`-${BIG}`, 1] });
  });
});

test.each([
  [BIG, true],
  [`-${BIG}`, true],
  ['9007199254740991', false],
  ['9007199254740992', true],
  ['-9007199254740992', true],
  ['09007199254740993', false],
  ['+9007199254740993', false],
  ['9007199254740993.0', false],
  ['9007199254740993\n', false],
  ['4111111111111111', false],
  ['9'.repeat(1300), false],
])('%s is the text of an integer: %s', (text, is) => {
  expect(isBigInteger(text)).toBe(is);
});

test.each([
  ['0.1', false],
  ['19.90', false],
  ['1.50e3', false],
  ['0.000', false],
  ['0.30000000000000004', false],
  ['0.1234567890123456789', true],
  ['12345678901.123456789', true],
  ['9007199254740993.0', true],
  ['1e22', false],
  ['1e-400', true],
  ['-0.0', false],
])('%s loses digits as a double: %s', (literal, loses) => {
  expect(losesDigits(literal)).toBe(loses);
});
