import { TemplateError } from '../errors';
import { type CompareOperator } from '../ir';
import { View } from '../view';
import { orderOfTimes } from './datetime';
import { isBigInteger, orderOfIntegers } from './digits';
import { Finder } from './find';
import { isDict, isList, resolve, Tuple, valueTypeName } from './kinds';
import { listed, resultsOf } from './loop-result';
import { Meter } from './meter';
import { isNumeric, toNumber, type Numeric } from './numbers';

/**
 * Python's `==`: deep, without conversion between text and number, except for the text of an integer beyond 2^53;
 * `1 == true`, `1 == 1.0`; a list never equals a tuple. A view may define `equals` itself.
 */
export function equals(a: unknown, b: unknown, meter = new Meter()): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) {
    meter.charge(meter.prices.equalChar * a.length);
  }
  return a === b || equalOthers(a, b, meter);
}

function equalOthers(a: unknown, b: unknown, meter: Meter): boolean {
  if (a instanceof View) return a.equals ? a.equals(b) : equals(a.plain(), b, meter);
  if (b instanceof View) return equals(b, a, meter);
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) === 0 : equalDigits(b, a, meter);
  if (typeof a === 'string') return equalDigits(a, b, meter);
  if (isList(a)) {
    const list = resultsOf(b) ?? b;
    return isList(list) && equalLists(a, list, meter);
  }
  if (isList(b)) return equals(b, a, meter);
  const times = orderOfTimes(a, b);
  if (times) return times[0] === times[1];
  return isDict(a) && isDict(b) && equalDicts(a, b, meter);
}

function equalLists(a: readonly unknown[], b: readonly unknown[], meter: Meter): boolean {
  if (a.length !== b.length || a instanceof Tuple !== b instanceof Tuple) return false;
  return meter.nested(() =>
    a.every((element, i) => {
      meter.charge(meter.prices.comparedElement);
      return equals(element, b[i], meter);
    }),
  );
}

function equalDicts(a: Record<string, unknown>, b: Record<string, unknown>, meter: Meter): boolean {
  const keys = Object.keys(a);
  meter.charge(meter.prices.comparedDict + meter.prices.comparedKey * keys.length);
  if (keys.length !== Object.keys(b).length) return false;
  return meter.nested(() => keys.every((key) => Object.hasOwn(b, key) && equals(a[key], b[key], meter)));
}

function compareNumbers(a: Numeric, b: Numeric): number {
  const [x, y] = [typeof a === 'bigint' ? a : toNumber(a), typeof b === 'bigint' ? b : toNumber(b)];
  // JavaScript compares bigint with number exactly; `===` would find 1n and 1 different.
  return x < y ? -1 : x > y ? 1 : x >= y ? 0 : NaN;
}

/** Whether a text is that of an integer that equals a number. */
function equalDigits(text: unknown, number: unknown, meter: Meter): boolean {
  if (typeof text !== 'string' || !isNumeric(number)) return false;
  return orderAsIntegers(text, number, meter) === 0;
}

/** The order of two values if they are integers, at least one of them as text; otherwise undefined. */
function orderAsIntegers(a: unknown, b: unknown, meter: Meter): number | undefined {
  const [x, y] = [integerOf(a), integerOf(b)];
  if (x === undefined || y === undefined) return undefined;
  const digits = (typeof x === 'string' ? x.length : 0) + (typeof y === 'string' ? y.length : 0);
  meter.charge(meter.prices.integerChar * digits);
  return orderOfIntegers(x, y);
}

function integerOf(v: unknown): number | bigint | string | undefined {
  if (typeof v === 'string') return isBigInteger(v) ? v : undefined;
  return typeof v === 'bigint' ? v : isNumeric(v) ? toNumber(v) : undefined;
}

/**
 * Python's order of two values: negative, zero, positive, or NaN if unordered (`nan`).
 *
 * @throws TemplateError NT4110 for values without an order, NT4111 for undefined ones.
 */
export function compareValues(
  left: unknown,
  right: unknown,
  meter: Meter,
  operator: CompareOperator = '<',
): number {
  const [a, b] = [resolve(left), resolve(right)];
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (typeof a === 'string' || typeof b === 'string') {
    const order = orderAsIntegers(a, b, meter);
    if (order !== undefined) return order;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    meter.charge(meter.prices.comparedChar * Math.min(a.length, b.length));
    return compareTexts(a, b);
  }
  if (isList(a) && isList(b) && a instanceof Tuple === b instanceof Tuple) {
    return meter.nested(() => compareLists(a, b, meter, operator));
  }
  const times = orderOfTimes(a, b);
  if (times) return times[0] - times[1];
  const kind = a === undefined || b === undefined ? 'undefinedValue' : 'wrongType';
  throw new TemplateError(kind, `'${operator}' cannot compare ${described(a)} with ${described(b)}`);
}

function described(v: unknown): string {
  return v === undefined ? 'an undefined value' : valueTypeName(v);
}

function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  meter: Meter,
  op: CompareOperator,
): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    meter.charge(meter.prices.orderedElement);
    if (!equals(a[i], b[i], meter)) return compareValues(a[i], b[i], meter, op);
  }
  return a.length - b.length;
}

/** By code points: JavaScript's order by UTF-16 units would sort emoji before some letters. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const surrogates = x >= 0xd800 && x < 0xe000 !== (y >= 0xd800 && y < 0xe000);
    return surrogates ? a.codePointAt(i)! - b.codePointAt(i)! : x - y;
  }
  return a.length - b.length;
}

/** Whether `l operator r` is true. */
export function comparisonHolds(operator: CompareOperator, l: unknown, r: unknown, meter: Meter): boolean {
  if (typeof l === 'string') meter.charge(meter.prices.comparedChar * l.length);
  switch (operator) {
    case '==':
      return equals(l, r, meter);
    case '!=':
      return !equals(l, r, meter);
    case 'in':
      return contains(r, l, meter);
    case 'not in':
      return !contains(r, l, meter);
    case '<':
      return compareValues(l, r, meter, operator) < 0;
    case '<=':
      return compareValues(l, r, meter, operator) <= 0;
    case '>':
      return compareValues(l, r, meter, operator) > 0;
    case '>=':
      return compareValues(l, r, meter, operator) >= 0;
  }
}

/** Python's `element in container`: an element of a list, a key of a dict, a part of a text. */
export function contains(container: unknown, element: unknown, meter: Meter): boolean {
  const c = listed(container);
  if (c === undefined) return false;
  if (isList(c)) {
    return c.some((candidate) => {
      meter.charge(meter.prices.searchedElement);
      return equals(candidate, element, meter);
    });
  }
  const e = resolve(element);
  if (typeof c === 'string') {
    meter.charge(meter.prices.comparedChar * c.length);
    if (typeof e === 'string') {
      meter.charge(meter.prices.comparedChar * e.length);
      return e === '' || new Finder(e).first(c) >= 0;
    }
    throw new TemplateError('wrongType', `'in' finds only a string in a string, not ${described(e)}`);
  }
  if (isDict(c)) return (typeof e === 'string' || isNumeric(e)) && Object.hasOwn(c, keyText(e));
  throw new TemplateError('wrongType', `'in' needs a list, dict or string on its right, not ${described(c)}`);
}

/** The string for a non-string key, as in JSON. */
function keyText(key: string | Numeric | null): string {
  return typeof key === 'object' && key !== null ? String(key.n) : String(key);
}
