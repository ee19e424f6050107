import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { TemplateError } from '../errors';
import { integerArgument, textArgument } from '../values/arguments';
import { resolve, valueTypeName } from '../values/kinds';
import * as numbers from '../values/numbers';
import { fixedNotation, fixedText } from '../values/spec';
import { truthy } from '../values/truth';

/** Filters for numbers, and conversions to numbers. */
export const numberFilters: Builtins = {
  int: defineBuiltin('default=, base=', (run, v, ...args) => {
    refuseUndefined(v, 'int');
    if (typeof v === 'string') run.charge(run.prices.digit * v.length);
    return toInt(resolve(v), integerArgument(args[1], 'base', 10)) ?? fallbackOf(args, 0);
  }),
  float: defineBuiltin('default=', (_run, v, ...args) => {
    refuseUndefined(v, 'float');
    const value = toFloat(resolve(v));
    return value === undefined ? fallbackOf(args, numbers.float(0)) : numbers.float(value);
  }),
  abs: defineBuiltin('', (_run, v) => {
    const n = numeric(v, 'abs');
    return numbers.toNumber(n) < 0 || Object.is(numbers.toNumber(n), -0)
      ? numbers.negate(n)
      : numbers.add(n, 0);
  }),
  round: defineBuiltin('precision=, method=', (_run, v, precision, method) =>
    round(
      numeric(v, 'round'),
      integerArgument(precision, 'precision', 0),
      textArgument(method, 'method', 'common'),
    ),
  ),
  filesizeformat: defineBuiltin('binary=', (_run, v, binary) =>
    fileSize(toFloat(resolve(v)), truthy(binary)),
  ),
};

/** The given default, even if undefined; otherwise `otherwise`. */
function fallbackOf(args: readonly unknown[], otherwise: unknown): unknown {
  return args.length === 1 ? args[0] : (args[0] ?? otherwise);
}

function refuseUndefined(v: unknown, filter: string): void {
  if (v !== undefined) return;
  throw new TemplateError('undefinedValue', `${filter} got an undefined value: use default(…) before it`);
}

function numeric(value: unknown, filter: string): numbers.Numeric {
  const v = resolve(value);
  if (numbers.isNumeric(v)) return v;
  const kind = v === undefined ? 'undefinedValue' : 'wrongType';
  throw new TemplateError(
    kind,
    `${filter} needs a number, not ${v === undefined ? 'an undefined value' : valueTypeName(v)}`,
  );
}

const digitsOf: Readonly<Record<number, RegExp>> = {
  2: /^[01]+$/,
  8: /^[0-7]+$/,
  10: /^\d+$/,
  16: /^[0-9a-f]+$/,
};
const prefixes: Readonly<Record<string, number>> = { '0b': 2, '0o': 8, '0x': 16 };

/** Python's `int(value)`, then `int(float(value))`; undefined if both fail. */
function toInt(v: unknown, base: number): number | bigint | undefined {
  if (typeof v === 'string') return parseInteger(v, base) ?? truncate(parseFloatText(v));
  if (!numbers.isNumeric(v)) return undefined;
  return numbers.isFloat(v) ? truncate(numbers.toNumber(v)) : (numbers.add(v, 0) as number | bigint);
}

function truncate(n: number | undefined): number | bigint | undefined {
  return n === undefined || !Number.isFinite(n) ? undefined : numbers.integerOf(Math.trunc(n));
}

/** Python's `int(text, base)`: surrounding whitespace, underscores between digits, a prefix matching the base. */
function parseInteger(text: string, base: number): number | bigint | undefined {
  const [, sign = '', body = ''] = /^([-+]?)([\s\S]*)$/.exec(text.trim().toLowerCase())!;
  const prefixed = prefixes[body.slice(0, 2)];
  const radix = base === 0 ? (prefixed ?? 10) : base;
  const digits = (prefixed === radix ? body.slice(2) : body).replace(/(?<=[0-9a-z])_(?=[0-9a-z])/g, '');
  if (digits === '' || radix < 2 || radix > 36) return undefined;
  if (digitsOf[radix] && !digitsOf[radix].test(digits)) return undefined;
  let value = 0n;
  if (digits.length > 1300) return undefined;
  for (const char of digits) {
    const digit = parseInt(char, 36);
    if (Number.isNaN(digit) || digit >= radix) return undefined;
    value = value * BigInt(radix) + BigInt(digit);
  }
  return numbers.integer(sign === '-' ? -value : value);
}

function parseFloatText(text: string): number | undefined {
  const body = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(body)) return Number(body);
  const special = /^([-+]?)(inf(?:inity)?|nan)$/i.exec(body);
  if (!special) return undefined;
  if (special[2]!.toLowerCase() === 'nan') return NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

/** Python's `float(value)`; undefined where it raises. */
function toFloat(v: unknown): number | undefined {
  if (typeof v === 'string') return parseFloatText(v);
  return numbers.isNumeric(v) ? numbers.toNumber(v) : undefined;
}

function round(v: numbers.Numeric, precision: number, method: string): numbers.Numeric {
  if (method !== 'common' && method !== 'ceil' && method !== 'floor') {
    throw new TemplateError(
      'wrongValue',
      `round supports the methods common, ceil and floor, not '${method}'`,
    );
  }
  if (Math.abs(precision) > 400) throw new TemplateError('wrongValue', 'round takes at most 400 places');
  const n = numbers.toNumber(v);
  if (method !== 'common') {
    const scale = 10 ** precision;
    return numbers.float(((method === 'ceil' ? Math.ceil(n * scale) : Math.floor(n * scale)) + 0) / scale);
  }
  if (!numbers.isFloat(v)) return precision >= 0 ? numbers.add(v, 0) : roundInteger(v, precision);
  return numbers.float(roundHalfEven(n, precision));
}

function roundInteger(v: numbers.Numeric, precision: number): numbers.Numeric {
  const unit = 10n ** BigInt(-precision);
  const n = typeof v === 'bigint' ? v : BigInt(numbers.toNumber(v));
  const remainder = ((n % unit) + unit) % unit;
  const down = n - remainder;
  const up = remainder * 2n > unit || (remainder * 2n === unit && (down / unit) % 2n !== 0n);
  return numbers.integer(up ? down + unit : down);
}

/** Python rounds the exact binary value, ties to even: 2.5 is 2, 2.675 to two places is 2.67, 0.125 is 0.12. */
function roundHalfEven(n: number, places: number): number {
  if (!Number.isFinite(n) || Math.abs(n) >= 1e21 || places > 22 || n === 0) return n;
  if (places >= 0) return Number(fixedText(n, places));
  const scale = 10 ** -places;
  return Number(fixedText(n / scale, 0)) * scale;
}

function fileSize(bytes: number | undefined, binary: boolean): string {
  if (bytes === undefined) throw new TemplateError('wrongType', 'filesizeformat needs a number');
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${String(Math.trunc(bytes))} Bytes`;
  const units = [...'kMGTPEZY'].map((letter) => (binary ? `${letter.toUpperCase()}iB` : `${letter}B`));
  let size = bytes / base;
  let unit = 0;
  while (size >= base && unit < units.length - 1) {
    size /= base;
    unit++;
  }
  return `${fixedNotation('f', size, 1)} ${units[unit]!}`;
}
