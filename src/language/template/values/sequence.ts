import { TemplateError } from '../errors';
import { isDict, isList, resolve, Tuple, valueTypeName } from './kinds';
import { listed } from './loop-result';
import { type Meter } from './meter';
import { isNumeric, toNumber } from './numbers';

/** The elements of an iteration: of a list, keys of a dict, characters of a string, none for undefined. */
export function listedItems(value: unknown, meter: Meter, what = 'this'): readonly unknown[] {
  const v = listed(value);
  if (isList(v)) return v;
  if (v === undefined) return [];
  if (typeof v === 'string') {
    meter.elements(v.length);
    return characters(v);
  }
  if (isDict(v)) {
    const keys = Object.keys(v);
    meter.charge(meter.prices.dictKey * keys.length);
    return keys;
  }
  throw new TemplateError('wrongType', `${what} needs a list, dict or string, not ${valueTypeName(v)}`);
}

const surrogate = /[\ud800-\udfff]/;

/** The characters of a string: code points, as in Python. */
export function characters(text: string): string[] {
  return surrogate.test(text) ? Array.from(text) : text.split('');
}

/** The number of characters of a string. */
export function textLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let size = 0;
  for (let at = 0; at < text.length; size++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return size;
}

/** The number of elements, keys or characters of a value. Undefined has none; `none` and numbers have no length. */
export function lengthOf(value: unknown, meter: Meter): number {
  const v = listed(value);
  if (typeof v === 'string') return textLength(v);
  if (isList(v)) return v.length;
  if (isDict(v)) {
    const { length } = Object.keys(v);
    meter.charge(meter.prices.dictKey * length);
    return length;
  }
  if (v === undefined) return 0;
  throw new TemplateError('wrongType', `${valueTypeName(v)} has no length`);
}

/** The element at an index, from the end if negative; undefined beyond either end. */
export function elementAt(sequence: string | readonly unknown[], index: number): unknown {
  if (!Number.isInteger(index)) return undefined;
  if (typeof sequence !== 'string') return sequence.at(index);
  return surrogate.test(sequence) ? Array.from(sequence).at(index) : sequence.at(index);
}

/** `sequence[start:stop:step]` with Python's rules for missing, negative and out-of-range bounds. */
export function slice(value: unknown, bounds: readonly [unknown, unknown, unknown], meter: Meter): unknown {
  const v = listed(value);
  // A slice of a value without elements is undefined, like any other missing part.
  if (typeof v !== 'string' && !isList(v)) return undefined;
  if (typeof v === 'string') meter.charge(meter.prices.slicedChar * v.length);
  const items = typeof v === 'string' ? characters(v) : v;
  const [start, stop, step] = bounds.map(bound);
  const taken = take(items, start, stop, step ?? 1, meter);
  if (typeof v === 'string') return taken.join('');
  return v instanceof Tuple ? Tuple.make(taken) : taken;
}

function bound(value: unknown): number | undefined {
  const v = resolve(value);
  if (v === null || v === undefined) return undefined;
  if (isNumeric(v) && Number.isInteger(toNumber(v))) return toNumber(v);
  throw new TemplateError('wrongType', `a slice needs integers, not ${valueTypeName(v)}`);
}

function take(
  items: readonly unknown[],
  start: number | undefined,
  stop: number | undefined,
  step: number,
  meter: Meter,
): unknown[] {
  if (step === 0) throw new TemplateError('wrongValue', 'a slice cannot have step 0');
  const n = items.length;
  const [low, high] = step > 0 ? [0, n] : [-1, n - 1];
  const clamp = (i: number): number => Math.min(Math.max(i < 0 ? i + n : i, low), high);
  const first = start === undefined ? (step > 0 ? low : high) : clamp(start);
  const end = stop === undefined ? (step > 0 ? high : low) : clamp(stop);
  const taken: unknown[] = [];
  meter.elements(Math.max(0, Math.ceil((end - first) / step)));
  for (let i = first; step > 0 ? i < end : i > end; i += step) taken.push(items[i]);
  return taken;
}
