import { TemplateError } from '../errors';
import { valueTypeName } from './kinds';
import { type Meter } from './meter';
import { floatText, isFloat, isNumeric, numberText, toNumber, type Numeric } from './numbers';
import { textLength } from './sequence';
import { toText } from './text';

const grammar = /^(?:([\s\S])?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/u;

/** A width or precision: limited, so that a format cannot fill the memory. */
export function sized(value: unknown, meter: Meter): number {
  if (!isNumeric(value))
    throw new TemplateError('wrongType', `a width is a number, not ${valueTypeName(value)}`);
  const n = Math.abs(toNumber(value));
  if (!Number.isSafeInteger(n)) throw new TemplateError('wrongValue', 'a width is an integer');
  meter.produce(n);
  return n;
}

/** Pads to a width: `<` left, `>` right, `^` middle, `=` between sign and digits. */
export function pad(text: string, width: number, align: string, fill: string, meter: Meter): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  meter.produce(missing);
  if (align === '<') return text + fill.repeat(missing);
  if (align === '^') return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2));
  if (align === '>') return fill.repeat(missing) + text;
  const sign = /^[-+ ]?(?:0[xXob])?/.exec(text)![0];
  return sign + fill.repeat(missing) + text.slice(sign.length);
}

/** Python's format specification mini-language: `>10`, `08.2f`, `,`, `.1%`. */
export function applySpec(value: unknown, spec: string, meter: Meter): string {
  if (spec === '') return toText(value, meter);
  const parsed = grammar.exec(spec);
  if (!parsed) throw new TemplateError('wrongValue', `'${spec}' is not a format specification`);
  const [, fill, align, sign, alternate, zero, width, group, precision, type] = parsed;
  const p = precision === undefined ? undefined : sized(Number(precision), meter);
  const numeric = isNumeric(value);
  const body = numeric
    ? numberBody(value, { sign, alternate, group, precision: p, type })
    : textBody(value, p, type, meter);
  if (width === undefined) return body;
  const by = align ?? (zero && numeric ? '=' : numeric ? '>' : '<');
  return pad(body, sized(Number(width), meter), by, fill ?? (zero ? '0' : ' '), meter);
}

function textBody(
  value: unknown,
  precision: number | undefined,
  type: string | undefined,
  meter: Meter,
): string {
  if (type !== undefined && type !== 's') {
    throw new TemplateError('wrongType', `the format '${type}' needs a number, not ${valueTypeName(value)}`);
  }
  const text = toText(value, meter);
  meter.charge(meter.prices.slicedChar * text.length);
  return precision === undefined ? text : Array.from(text).slice(0, precision).join('');
}

interface NumberSpec {
  readonly sign: string | undefined;
  readonly alternate: string | undefined;
  readonly group: string | undefined;
  readonly precision: number | undefined;
  readonly type: string | undefined;
}

function numberBody(value: Numeric, spec: NumberSpec): string {
  const n = toNumber(value);
  const negative = n < 0 || Object.is(n, -0);
  const sign = negative ? '-' : spec.sign === '+' || spec.sign === ' ' ? spec.sign : '';
  const digits = unsigned(value, spec);
  return sign + (spec.group ? grouped(digits, spec.group) : digits);
}

const radixes: Readonly<Record<string, readonly [number, string]>> = {
  b: [2, '0b'],
  o: [8, '0o'],
  x: [16, '0x'],
  X: [16, '0X'],
};

function unsigned(value: Numeric, { alternate, precision, type }: NumberSpec): string {
  const n = Math.abs(toNumber(value));
  if (type !== undefined && Object.hasOwn(radixes, type)) {
    const [radix, prefix] = radixes[type]!;
    const digits = whole(value).toString(radix);
    return (alternate ? prefix : '') + (type === 'X' ? digits.toUpperCase() : digits);
  }
  if (type === 'c') return String.fromCodePoint(n);
  if (type === '%') return `${fixedNotation('f', n * 100, precision ?? 6)}%`;
  if (type === undefined || type === 'd' || type === 'n') {
    if (!isFloat(value) && precision === undefined) return whole(value).toString();
    if (type === 'd') whole(value);
    return precision === undefined ? floatText(n) : general(n, precision, true);
  }
  return fixedNotation(type, n, precision ?? 6);
}

function whole(value: Numeric): bigint {
  if (isFloat(value))
    throw new TemplateError('wrongType', `this format needs an int, not ${numberText(value)}`);
  const n = typeof value === 'bigint' ? value : BigInt(toNumber(value));
  return n < 0n ? -n : n;
}

/** Digits of a non-negative float in one of the formats e, f, g. */
export function fixedNotation(type: string, n: number, precision: number): string {
  const upper = type === type.toUpperCase();
  if (!Number.isFinite(n)) return upper ? floatText(n).toUpperCase() : floatText(n);
  const places = Math.min(precision, 100);
  const lower = type.toLowerCase();
  const text =
    lower === 'f' ? decimal(n, places) : lower === 'e' ? exponential(n, places) : general(n, places, false);
  return upper ? text.toUpperCase() : text;
}

function decimal(n: number, places: number): string {
  // toFixed uses an exponent for large numbers.
  if (n < 1e21) return fixedText(n, places);
  return places > 0 ? `${BigInt(n).toString()}.${'0'.repeat(places)}` : BigInt(n).toString();
}

/** `toFixed`, but ties round to the even digit, as in Python; JavaScript rounds them away from zero. Below 1e21. */
export function fixedText(n: number, places: number): string {
  return ties(n.toFixed(places), n.toFixed(Math.min(100, places + 30)));
}

function exponential(n: number, places: number): string {
  const [mantissa = '', exponent = ''] = n.toExponential(places).split('e');
  const [exact = '', exactExponent] = n.toExponential(Math.min(100, places + 30)).split('e');
  const rounded = exponent === exactExponent ? ties(mantissa, exact) : mantissa;
  return `${rounded}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
}

/** The truncated digits of `exact` if the rest is a tie and the last kept digit is even; otherwise `rounded`. */
function ties(rounded: string, exact: string): string {
  const kept = exact.slice(0, rounded.length);
  return /^\.?50*$/.test(exact.slice(rounded.length)) && /[02468]$/.test(kept) ? kept : rounded;
}

/** Format g: `significant` digits, an exponent only for very small and large numbers. */
function general(n: number, significant: number, keepPoint: boolean): string {
  const digits = Math.max(1, significant);
  const exponent = n === 0 ? 0 : Number(n.toExponential(digits - 1).split('e')[1]);
  const scientific = exponent < -4 || exponent >= digits;
  const text = scientific ? exponential(n, digits - 1) : fixedText(n, Math.min(100, digits - 1 - exponent));
  const [mantissa = '', power] = text.split('e');
  const trimmed = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  if (power !== undefined) return `${trimmed}e${power}`;
  return keepPoint && !trimmed.includes('.') ? `${trimmed}.0` : trimmed;
}

function grouped(digits: string, separator: string): string {
  const [, whole = '', rest = ''] = /^(\d*)([\s\S]*)$/.exec(digits)!;
  const head = whole.length % 3;
  const groups = whole.slice(head).match(/\d{3}/g) ?? [];
  return (head > 0 ? [whole.slice(0, head), ...groups] : groups).join(separator) + rest;
}
