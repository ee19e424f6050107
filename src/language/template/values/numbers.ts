import { TemplateError } from '../errors';
import { Float, isIntegral } from './kinds';

/**
 * Python's numbers in JavaScript. An int is a safe integer or, beyond 2^53, a bigint; a float is a fractional
 * number, or a `Float` if integral. Booleans count as 0 and 1.
 */
export type Numeric = number | bigint | Float | boolean;

/** Maximum bits of an integer: 2 ** 100000 must not fill the memory. */
const maxBits = 4096n;
const maxInteger = 1n << maxBits;

export function isNumeric(v: unknown): v is Numeric {
  const type = typeof v;
  return type === 'number' || type === 'bigint' || type === 'boolean' || v instanceof Float;
}

export function isFloat(v: unknown): v is number | Float {
  return v instanceof Float || (typeof v === 'number' && !isIntegral(v));
}

/** Whether a value is an int: not a bool. */
export function isInt(v: unknown): v is number | bigint {
  return typeof v === 'bigint' || (typeof v === 'number' && isIntegral(v));
}

/** The JavaScript number nearest to a numeric value. */
export function toNumber(v: Numeric): number {
  return v instanceof Float ? v.n : Number(v);
}

/** A float result. */
export function float(n: number): number | Float {
  return Number.isInteger(n) ? new Float(n) : n;
}

/** An integer result in its canonical form. Throws NT4202 if it is too large. */
export function integer(n: bigint): number | bigint {
  if (n >= -9007199254740991n && n <= 9007199254740991n) return Number(n);
  if (n > maxInteger || n < -maxInteger) {
    throw new TemplateError('tooMuchOutput', 'an integer grows beyond 4096 bits');
  }
  return n;
}

/** An integer from an integral JavaScript number of any size. */
export function integerOf(n: number): number | bigint {
  return Number.isSafeInteger(n) ? n + 0 : integer(BigInt(n));
}

function big(v: Numeric): bigint {
  return typeof v === 'bigint' ? v : BigInt(toNumber(v));
}

type Operation = (a: Numeric, b: Numeric) => number | bigint | Float;

export const add: Operation = (a, b) => {
  if (isFloat(a) || isFloat(b)) return float(toNumber(a) + toNumber(b));
  const sum = toNumber(a) + toNumber(b);
  return Number.isSafeInteger(sum) ? sum : integer(big(a) + big(b));
};

export const subtract: Operation = (a, b) => {
  if (isFloat(a) || isFloat(b)) return float(toNumber(a) - toNumber(b));
  const difference = toNumber(a) - toNumber(b);
  return Number.isSafeInteger(difference) ? difference : integer(big(a) - big(b));
};

export const multiply: Operation = (a, b) => {
  if (isFloat(a) || isFloat(b)) return float(toNumber(a) * toNumber(b));
  const product = toNumber(a) * toNumber(b);
  return Number.isSafeInteger(product) ? product + 0 : integer(big(a) * big(b));
};

export const divide: Operation = (a, b) => {
  refuseZero(b);
  return float(toNumber(a) / toNumber(b));
};

/** `//`: rounds towards minus infinity, as Python does. */
export const floorDivide: Operation = (a, b) => {
  refuseZero(b);
  if (isFloat(a) || isFloat(b)) {
    const [x, y] = [toNumber(a), toNumber(b)];
    const quotient = Math.round((x - floatModulo(x, y)) / y);
    // A zero has the sign of the exact quotient.
    return float(quotient === 0 ? (x / y < 0 || Object.is(x / y, -0) ? -0 : 0) : quotient);
  }
  const [x, y] = [big(a), big(b)];
  const quotient = x / y;
  return integer(x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient);
};

/** `%`: the result has the divisor's sign, as in Python. */
export const modulo: Operation = (a, b) => {
  refuseZero(b);
  if (isFloat(a) || isFloat(b)) return float(floatModulo(toNumber(a), toNumber(b)));
  const [x, y] = [toNumber(a), toNumber(b)];
  if (Number.isSafeInteger(x) && Number.isSafeInteger(y)) return (((x % y) + y) % y) + 0;
  const remainder = big(a) % big(b);
  return integer(remainder !== 0n && remainder < 0n !== big(b) < 0n ? remainder + big(b) : remainder);
};

function floatModulo(x: number, y: number): number {
  const remainder = x % y;
  if (remainder === 0) return y < 0 ? -0 : 0;
  return remainder < 0 !== y < 0 ? remainder + y : remainder;
}

export const power: Operation = (a, b) => {
  if (isFloat(a) || isFloat(b) || toNumber(b) < 0) {
    if (toNumber(a) === 0 && toNumber(b) < 0) throw new TemplateError('wrongValue', 'division by zero');
    const result = toNumber(a) ** toNumber(b);
    if (Number.isNaN(result) && !Number.isNaN(toNumber(a)) && !Number.isNaN(toNumber(b))) {
      throw new TemplateError('wrongValue', 'a negative number cannot have a fractional power');
    }
    return float(result);
  }
  const [base, exponent] = [big(a), big(b)];
  const small = base >= -1n && base <= 1n;
  const bits = BigInt((base < 0n ? -base : base).toString(2).length) - 1n;
  if (!small && bits * exponent > maxBits) {
    throw new TemplateError('tooMuchOutput', 'an integer grows beyond 4096 bits');
  }
  return integer(small && exponent > 2n ? base ** (2n + (exponent % 2n)) : base ** exponent);
};

export function negate(v: Numeric): number | bigint | Float {
  if (isFloat(v)) return float(-toNumber(v));
  return typeof v === 'bigint' ? integer(-v) : 0 - toNumber(v);
}

function refuseZero(b: Numeric): void {
  if (toNumber(b) === 0) throw new TemplateError('wrongValue', 'division by zero');
}

/** Python's `repr` of a float: the shortest digits that parse to the same value, with an exponent from 1e16 on. */
export function floatText(n: number): string {
  if (Number.isNaN(n)) return 'nan';
  if (!Number.isFinite(n)) return n > 0 ? 'inf' : '-inf';
  const [mantissa, exponentText] = n.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const sign = exponent < 0 ? '-' : '+';
    return `${Object.is(n, -0) ? '-' : ''}${mantissa!}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const digits = Object.is(n, -0) ? '-0' : String(n);
  return digits.includes('.') ? digits : `${digits}.0`;
}

/** The text of any number. */
export function numberText(v: number | bigint | Float): string {
  return isFloat(v) ? floatText(toNumber(v)) : String(v);
}
