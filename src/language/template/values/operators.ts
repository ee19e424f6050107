import { TemplateError } from '../errors';
import { type BinaryOperator } from '../ir';
import { operateTime } from './datetime';
import { isBigInteger } from './digits';
import { formatPercent } from './format';
import { isList, resolve, textual, Tuple, valueTypeName } from './kinds';
import { listed } from './loop-result';
import { type Meter } from './meter';
import * as numbers from './numbers';

const arithmetic = {
  '+': numbers.add,
  '-': numbers.subtract,
  '*': numbers.multiply,
  '/': numbers.divide,
  '//': numbers.floorDivide,
  '%': numbers.modulo,
  '**': numbers.power,
} as const;

/**
 * Python's binary operators: arithmetic, concatenation of strings and lists with `+`, repetition with `*`, `%`
 * formatting.
 *
 * @throws TemplateError NT4110 for unsupported operands, NT4111 for undefined ones.
 */
export function operate(operator: BinaryOperator, left: unknown, right: unknown, meter: Meter): unknown {
  const [l, r] = operands(operator, left, right);
  if (numbers.isNumeric(l) && numbers.isNumeric(r)) {
    if (operator === '**' || typeof l === 'bigint' || typeof r === 'bigint')
      meter.charge(meter.prices.bigInteger);
    return arithmetic[operator](l, r);
  }
  refuseDigits(operator, l, r);
  if (operator === '+') {
    if (typeof l === 'string' && typeof r === 'string') return joinTexts(l, r, meter);
    if (isList(l) && isList(r) && l instanceof Tuple === r instanceof Tuple) return joinLists(l, r, meter);
  } else if (operator === '*') {
    if (numbers.isNumeric(r) && (typeof l === 'string' || isList(l))) return repeat(l, r, meter);
    if (numbers.isNumeric(l) && (typeof r === 'string' || isList(r))) return repeat(r, l, meter);
  } else if (operator === '%' && typeof l === 'string') {
    return formatPercent(l, r, meter);
  }
  const time = operateTime(operator, l, r);
  if (time) return time;
  throw mismatch(operator, l, r);
}

/** For `+` and `*` the value of a loop is a list; concatenated with a string, a value is its text. */
function operands(operator: BinaryOperator, left: unknown, right: unknown): readonly [unknown, unknown] {
  if (operator !== '+')
    return operator === '*' ? [listed(left), listed(right)] : [resolve(left), resolve(right)];
  if (typeof left === 'string') return [left, textual(right)];
  return typeof right === 'string' ? [textual(left), right] : [listed(left), listed(right)];
}

/** Two texts of integers would be joined, and a product repeat the text: never what is meant. */
function refuseDigits(operator: BinaryOperator, l: unknown, r: unknown): void {
  const digits = isBigInteger(l) ? l : isBigInteger(r) ? r : undefined;
  if (digits === undefined) return;
  const other = digits === l ? r : l;
  if (!numbers.isNumeric(other) && !isBigInteger(other)) return;
  const shown = digits.length > 24 ? `${digits.slice(0, 24)}…` : digits;
  throw new TemplateError(
    'wrongType',
    `'${operator}' got ${shown}, an integer beyond 2^53, which is kept as text: compute with (… | int), and write the ` +
      'result with | string; use ~ to join texts',
  );
}

function mismatch(operator: BinaryOperator, l: unknown, r: unknown): TemplateError {
  if (l === undefined || r === undefined) {
    const side = l === undefined ? 'left' : 'right';
    return new TemplateError(
      'undefinedValue',
      `'${operator}' needs a value on its ${side}, which is undefined: use default(…)`,
    );
  }
  const texts = operator === '+' && (typeof l === 'string' || typeof r === 'string');
  const hint = texts ? ': use ~ to join strings' : '';
  return new TemplateError(
    'wrongType',
    `'${operator}' cannot take ${valueTypeName(l)} and ${valueTypeName(r)}${hint}`,
  );
}

function joinTexts(l: string, r: string, meter: Meter): string {
  meter.produce(l.length + r.length);
  return l + r;
}

function joinLists(l: readonly unknown[], r: readonly unknown[], meter: Meter): readonly unknown[] {
  meter.elements(l.length + r.length);
  return l instanceof Tuple ? Tuple.make([...l, ...r]) : [...l, ...r];
}

function repeat(value: string | readonly unknown[], times: numbers.Numeric, meter: Meter): unknown {
  if (numbers.isFloat(times)) {
    throw new TemplateError(
      'wrongType',
      `'*' cannot repeat ${valueTypeName(value)} a fractional number of times`,
    );
  }
  const n = Math.max(0, numbers.toNumber(times));
  if (typeof value === 'string') {
    meter.produce(value.length * n);
    return value.repeat(value === '' ? 0 : n);
  }
  if (value.length === 0) return value;
  meter.elements(value.length * n);
  const repeated = Array.from({ length: n }, () => value).flat();
  return value instanceof Tuple ? Tuple.make(repeated) : repeated;
}
