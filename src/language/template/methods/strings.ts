import { TemplateError } from '../errors';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { integerArgument, textArgument } from '../values/arguments';
import { formatBraces } from '../values/format';
import { Tuple, isList, resolve, valueTypeName, type Keywords } from '../values/kinds';
import { type Meter } from '../values/meter';
import { capitalize, center, replace, splitLines, strip } from '../values/pytext';
import { Finder } from '../values/find';
import { characters, listedItems, textLength, slice } from '../values/sequence';

const any = (test: RegExp) =>
  defineBuiltin('', (run, v) => {
    run.charge(run.prices.classifiedChar * (v as string).length);
    return test.test(v as string);
  });
const cased = (to: (text: string) => string) =>
  defineBuiltin('', (_run, v) => to(v as string) === v && v.toLowerCase() !== v.toUpperCase());

/** Python's str methods. The subject is always a string. */
export const stringMethods: Builtins = {
  upper: defineBuiltin('', (_run, v) => (v as string).toUpperCase()),
  lower: defineBuiltin('', (_run, v) => (v as string).toLowerCase()),
  casefold: defineBuiltin('', (_run, v) => (v as string).toLowerCase().replaceAll('ß', 'ss')),
  capitalize: defineBuiltin('', (_run, v) => capitalize(v as string)),
  title: defineBuiltin('', (run, v) => {
    run.charge(run.prices.titleChar * (v as string).length);
    return (v as string).replace(/[\p{L}]+/gu, capitalize);
  }),
  swapcase: defineBuiltin('', (run, v) => {
    run.charge(run.prices.titleChar * (v as string).length);
    return characters(v as string)
      .map((char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase()))
      .join('');
  }),
  strip: defineBuiltin('chars=', (run, v, chars) => strip(v as string, resolve(chars), 'both', run)),
  lstrip: defineBuiltin('chars=', (run, v, chars) => strip(v as string, resolve(chars), 'left', run)),
  rstrip: defineBuiltin('chars=', (run, v, chars) => strip(v as string, resolve(chars), 'right', run)),
  removeprefix: defineBuiltin('prefix', (_run, v, prefix) => {
    const text = textArgument(prefix, 'prefix');
    return (v as string).startsWith(text) ? (v as string).slice(text.length) : v;
  }),
  removesuffix: defineBuiltin('suffix', (_run, v, suffix) => {
    const text = textArgument(suffix, 'suffix');
    return text !== '' && (v as string).endsWith(text) ? (v as string).slice(0, -text.length) : v;
  }),
  split: defineBuiltin('sep=, maxsplit=', (run, v, sep, maxsplit) =>
    split(v as string, resolve(sep) ?? undefined, integerArgument(maxsplit, 'maxsplit', -1), run),
  ),
  rsplit: defineBuiltin('sep=, maxsplit=', (run, v, sep, maxsplit) =>
    rightSplit(v as string, resolve(sep) ?? undefined, integerArgument(maxsplit, 'maxsplit', -1), run),
  ),
  splitlines: defineBuiltin('keepends=', (run, v, keepends) => {
    run.elements((v as string).length);
    return splitLines(v as string, keepends === true);
  }),
  partition: defineBuiltin('sep', (_run, v, sep) => {
    const by = separator(sep);
    const at = new Finder(by).first(v as string);
    return Tuple.make(at < 0 ? [v, '', ''] : cut(v as string, at, by));
  }),
  rpartition: defineBuiltin('sep', (run, v, sep) => {
    const by = separator(sep);
    run.charge(run.prices.partedChar * (v as string).length);
    const at = new Finder(by).last(v as string);
    return Tuple.make(at < 0 ? ['', '', v] : cut(v as string, at, by));
  }),
  join: defineBuiltin('iterable', (run, v, iterable) => {
    const parts = listedItems(iterable, run, 'join').map((part, i) => {
      const text = resolve(part);
      if (typeof text !== 'string') {
        throw new TemplateError(
          'wrongType',
          `join needs strings, but element ${String(i)} is ${valueTypeName(text)}`,
        );
      }
      run.produce(text.length + (v as string).length);
      return text;
    });
    return parts.join(v as string);
  }),
  replace: defineBuiltin('old, new, count=', (run, v, old, fresh, count) =>
    replace(
      v as string,
      textArgument(old, 'old'),
      textArgument(fresh, 'new'),
      integerArgument(count, 'count', -1),
      run,
    ),
  ),
  startswith: defineBuiltin('prefix, start=, end=', (run, v, prefix, start, end) =>
    affixes(prefix, 'prefix').some((text) => within(v as string, start, end, run).startsWith(text)),
  ),
  endswith: defineBuiltin('suffix, start=, end=', (run, v, suffix, start, end) =>
    affixes(suffix, 'suffix').some((text) => within(v as string, start, end, run).endsWith(text)),
  ),
  find: defineBuiltin('sub, start=, end=', (run, v, sub, start, end) =>
    find(v as string, sub, start, end, 'first', run),
  ),
  rfind: defineBuiltin('sub, start=, end=', (run, v, sub, start, end) =>
    find(v as string, sub, start, end, 'last', run),
  ),
  index: defineBuiltin('sub, start=, end=', (run, v, sub, start, end) =>
    requireIndex(find(v as string, sub, start, end, 'first', run)),
  ),
  rindex: defineBuiltin('sub, start=, end=', (run, v, sub, start, end) =>
    requireIndex(find(v as string, sub, start, end, 'last', run)),
  ),
  count: defineBuiltin('sub, start=, end=', (run, v, sub, start, end) => {
    const text = within(v as string, start, end, run);
    const part = textArgument(sub, 'sub');
    if (part === '') return textLength(text) + 1;
    run.charge(run.prices.partedChar * text.length);
    return new Finder(part).split(text).length - 1;
  }),
  center: defineBuiltin('width, fillchar=', (run, v, width, fill) =>
    center(v as string, integerArgument(width, 'width'), fillChar(fill), run),
  ),
  ljust: defineBuiltin(
    'width, fillchar=',
    (run, v, width, fill) => v + padding(v as string, width, fill, run),
  ),
  rjust: defineBuiltin(
    'width, fillchar=',
    (run, v, width, fill) => padding(v as string, width, fill, run) + (v as string),
  ),
  zfill: defineBuiltin('width', (run, v, width) => {
    const [, sign = '', digits = ''] = /^([-+]?)([\s\S]*)$/.exec(v as string)!;
    return sign + padding(v as string, width, '0', run) + digits;
  }),
  expandtabs: defineBuiltin('tabsize=', (run, v, tabsize) =>
    expandTabs(v as string, integerArgument(tabsize, 'tabsize', 8), run),
  ),
  format: defineBuiltin('*', (run, v, args, keywords) =>
    formatBraces(v as string, args as readonly unknown[], keywords as Keywords, run),
  ),
  encode: defineBuiltin('encoding=, errors=', (_run, v) => v),
  isdigit: any(/^[\p{Nd}\p{No}]+$/u),
  isdecimal: any(/^\p{Nd}+$/u),
  isnumeric: any(/^\p{N}+$/u),
  isalpha: any(/^\p{L}+$/u),
  isalnum: any(/^[\p{L}\p{N}]+$/u),
  isspace: any(/^\s+$/),
  isascii: any(/^[\0-\x7f]*$/),
  isidentifier: any(/^[\p{L}_][\p{L}\p{N}_]*$/u),
  islower: cased((text) => text.toLowerCase()),
  isupper: cased((text) => text.toUpperCase()),
  istitle: defineBuiltin('', (run, v) => {
    run.charge(run.prices.titleChar * (v as string).length);
    return /\p{L}/u.test(v as string) && (v as string).replace(/\p{L}+/gu, capitalize) === v;
  }),
};

function separator(value: unknown): string {
  const by = textArgument(value, 'sep');
  if (by === '') throw new TemplateError('wrongValue', "'sep' must not be empty");
  return by;
}

function cut(text: string, at: number, by: string): string[] {
  return [text.slice(0, at), by, text.slice(at + by.length)];
}

function split(text: string, sep: unknown, max: number, meter: Meter): string[] {
  if (sep !== undefined) {
    const by = separator(sep);
    const parts = new Finder(by).split(text);
    meter.elements(parts.length);
    return max < 0 || parts.length <= max + 1 ? parts : [...parts.slice(0, max), parts.slice(max).join(by)];
  }
  const parts: string[] = [];
  let rest = text.trimStart();
  while (rest !== '' && (max < 0 || parts.length < max)) {
    const end = rest.search(/\s/);
    meter.elements(1);
    parts.push(end < 0 ? rest : rest.slice(0, end));
    rest = end < 0 ? '' : rest.slice(end).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}

function rightSplit(text: string, sep: unknown, max: number, meter: Meter): string[] {
  if (max < 0) return split(text, sep, max, meter);
  if (sep === undefined) {
    const words = [...text.trim().matchAll(/\S+/g)];
    meter.elements(words.length);
    if (words.length <= max) return words.map(([word]) => word);
    const kept = words.slice(words.length - max);
    const head = text.slice(0, kept[0]?.index ?? text.length).trim();
    return [head, ...kept.map(([word]) => word)];
  }
  const by = separator(sep);
  const parts = new Finder(by).split(text);
  meter.elements(parts.length);
  if (parts.length <= max + 1) return parts;
  const from = parts.length - max;
  return [parts.slice(0, from).join(by), ...parts.slice(from)];
}

function affixes(value: unknown, name: string): string[] {
  const v = resolve(value);
  return isList(v) ? v.map((part) => textArgument(part, name)) : [textArgument(v, name)];
}

function within(text: string, start: unknown, end: unknown, meter: Meter): string {
  if (start === undefined && end === undefined) return text;
  return slice(text, [start, end, undefined], meter) as string;
}

function find(
  text: string,
  sub: unknown,
  start: unknown,
  end: unknown,
  which: 'first' | 'last',
  meter: Meter,
): number {
  const part = textArgument(sub, 'sub');
  const inside = within(text, start, end, meter);
  meter.charge(meter.prices.partedChar * inside.length);
  const finder = new Finder(part);
  const at = which === 'first' ? finder.first(inside) : finder.last(inside);
  if (at < 0) return -1;
  const offset = textLength(text) - textLength(within(text, start, undefined, meter));
  return offset + textLength(inside.slice(0, at));
}

function requireIndex(at: number): number {
  if (at < 0) throw new TemplateError('wrongValue', 'the string does not contain the substring');
  return at;
}

function fillChar(value: unknown): string {
  const fill = textArgument(value, 'fillchar', ' ');
  if (characters(fill).length !== 1)
    throw new TemplateError('wrongValue', "'fillchar' must be one character");
  return fill;
}

function padding(text: string, width: unknown, fill: unknown, meter: Meter): string {
  const missing = Math.max(0, integerArgument(width, 'width') - textLength(text));
  meter.produce(missing);
  return fillChar(fill).repeat(missing);
}

function expandTabs(text: string, size: number, meter: Meter): string {
  let column = 0;
  return text.replace(/[^\t\n\r]+|[\t\n\r]/g, (piece) => {
    if (piece !== '\t') {
      column = piece === '\n' || piece === '\r' ? 0 : column + piece.length;
      return piece;
    }
    const blanks = size > 0 ? size - (column % size) : 0;
    column += blanks;
    meter.produce(blanks);
    meter.charge(meter.prices.directive);
    return ' '.repeat(blanks);
  });
}
