import { TemplateError } from '../errors';
import { valueTypeName } from './kinds';
import { type Meter } from './meter';
import { Finder } from './find';
import { characters, textLength } from './sequence';

/** Python's string functions that differ from JavaScript's; shared by filters and methods. */

/** First character in upper case, the others in lower case. */
export function capitalize(text: string): string {
  const size = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, size).toUpperCase() + text.slice(size).toLowerCase();
}

type Side = 'left' | 'right' | 'both';

/** `strip`, `lstrip` and `rstrip`: whitespace, or any of `chars`. */
export function strip(text: string, chars: unknown, side: Side, meter: Meter): string {
  if (chars === undefined || chars === null) {
    if (side === 'both') return text.trim();
    return side === 'left' ? text.trimStart() : text.trimEnd();
  }
  if (typeof chars !== 'string')
    throw new TemplateError('wrongType', `'chars' must be a string, not ${valueTypeName(chars)}`);
  meter.charge(meter.prices.slicedChar * (text.length + chars.length));
  const set = new Set(characters(chars));
  const all = characters(text);
  let start = 0;
  let end = all.length;
  if (side !== 'right') while (start < end && set.has(all[start]!)) start++;
  if (side !== 'left') while (end > start && set.has(all[end - 1]!)) end--;
  return all.slice(start, end).join('');
}

/** `text.replace(old, fresh, count)`; a negative count means all. */
export function replace(text: string, old: string, fresh: string, count: number, meter: Meter): string {
  if (count === 0) return text;
  meter.charge(meter.prices.partedChar * text.length);
  const parts = old === '' ? ['', ...characters(text), ''] : new Finder(old).split(text);
  const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  meter.produce(text.length + times * fresh.length);
  if (times === parts.length - 1) return parts.join(fresh);
  return (
    parts.slice(0, times + 1).join(fresh) +
    (times > 0 || old !== '' ? old : '') +
    parts.slice(times + 1).join(old)
  );
}

/** Centres as in Python: an odd blank goes to the left if the width is odd. */
export function center(text: string, width: number, fill: string, meter: Meter): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  meter.produce(width);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/** `text.splitlines(keepends)`. */
export function splitLines(text: string, keepEnds: boolean): string[] {
  const lines = text.match(
    /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g,
  );
  if (!lines) return [];
  return keepEnds
    ? lines
    : lines.map((line) => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, ''));
}
