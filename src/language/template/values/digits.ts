/**
 * Integers beyond 2^53. As numbers of JSON they would lose digits in JavaScript and in most other programs, so they are
 * text from the moment they are read. Templates compare these texts with numbers by value, and convert them with `int`.
 */
import { CodedError } from '../../errors';

/** `integer` of numbers.ts has 4096 bits at most; longer texts are only texts. */
const MAX_DIGITS = 1233;
const INTEGER = /^-?[1-9]\d{15,}$/;

/** Whether it is the text of an integer that a number cannot hold, as JSON writes it. */
export function isBigInteger(v: unknown): v is string {
  if (typeof v !== 'string' || v.length < 16 || v.length > MAX_DIGITS + 1) return false;
  return INTEGER.test(v) && !Number.isSafeInteger(Number(v));
}

/** The order of two values of which at least one is the text of an integer; NaN if the other one is. */
export function orderOfIntegers(a: string | number | bigint, b: string | number | bigint): number {
  const [x, y] = [digitsOf(a), digitsOf(b)];
  if (typeof x === 'string' && typeof y === 'string') return orderOfDigits(x, y);
  // Every other number is nearer to zero, or infinite.
  if (typeof x === 'number') return Number.isFinite(x) ? -signOf(y as string) : x;
  return Number.isFinite(y as number) ? signOf(x) : -(y as number);
}

/** The digits of an integer beyond 2^53, whatever holds it; otherwise the number. */
function digitsOf(v: string | number | bigint): string | number {
  if (typeof v !== 'number') return String(v);
  return Number.isInteger(v) && !Number.isSafeInteger(v) ? BigInt(v).toString() : v;
}

function signOf(digits: string): number {
  return digits.startsWith('-') ? -1 : 1;
}

function orderOfDigits(a: string, b: string): number {
  const sign = signOf(a);
  if (sign !== signOf(b)) return sign;
  const larger = a.length === b.length ? a > b : a.length > b.length;
  return a === b ? 0 : larger ? sign : -sign;
}

/**
 * The value of a number as JSON and YAML write it: an integer beyond 2^53 is its digits, everything else a double.
 *
 * @throws NumberTooLarge for a decimal beyond the doubles
 */
export function numberOf(literal: string): number | string {
  const value = Number(literal);
  if (Number.isSafeInteger(value)) return value;
  if (/^-?\d+$/.test(literal)) return literal;
  if (Number.isFinite(value)) return value;
  throw new NumberTooLarge(literal);
}

/** A number that neither a double nor an integer can hold, such as `1e400`. */
export class NumberTooLarge extends CodedError<'NUMBER_TOO_LARGE'> {
  constructor(literal: string) {
    const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
    super('NUMBER_TOO_LARGE', `the number ${shown} is beyond the largest double, 1.8e308: write it as text`);
  }
}

/** Whether a decimal has digits that its double does not keep: `0.1234567890123456789` has, `19.90` has not. */
export function losesDigits(literal: string): boolean {
  const value = Number(literal);
  return Number.isFinite(value) && decimalOf(literal) !== decimalOf(String(value));
}

/** Significant digits, and the power of ten of the last one. */
function decimalOf(literal: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(
    literal,
  )!;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
