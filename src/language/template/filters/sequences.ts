import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { attributePath, follow } from '../values/access';
import { integerArgument } from '../values/arguments';
import { equals } from '../values/compare';
import { isBigInteger } from '../values/digits';
import { isList, resolve } from '../values/kinds';
import { listed } from '../values/loop-result';
import { operate } from '../values/operators';
import { characters, listedItems } from '../values/sequence';
import { toText } from '../values/text';

/** Filters that split lists or create them. */
export const sequenceFilters: Builtins = {
  first: defineBuiltin('', (run, v) => listedItems(v, run, 'first')[0]),
  last: defineBuiltin('', (run, v) => listedItems(v, run, 'last').at(-1)),
  reverse: defineBuiltin('', (run, v) => {
    const value = resolve(v);
    const items = listedItems(value, run, 'reverse');
    run.elements(items.length);
    return typeof value === 'string' ? characters(value).reverse().join('') : [...items].reverse();
  }),
  join: defineBuiltin('d=, attribute=', (run, v, d, attribute) =>
    join(run, listedItems(v, run, 'join'), d, attribute),
  ),
  sum: defineBuiltin('attribute=, start=', (run, v, attribute, start = 0) => {
    const path = attributePath(attribute);
    return listedItems(v, run, 'sum').reduce((total, element) => {
      run.charge(run.prices.visitedElement);
      return operate('+', total, follow(element, path), run);
    }, start);
  }),
  batch: defineBuiltin('linecount, fill_with=', (run, v, linecount, fill) => {
    const size = integerArgument(linecount, 'linecount');
    if (size < 1) throw new TemplateError('wrongValue', "'linecount' must be at least 1");
    const items = listedItems(v, run, 'batch');
    const rows: unknown[][] = [];
    run.elements(items.length * 2);
    for (let i = 0; i < items.length; i += size) rows.push(items.slice(i, i + size));
    padLast(run, rows, size, fill);
    return rows;
  }),
  slice: defineBuiltin('slices, fill_with=', (run, v, slices, fill) => {
    const count = integerArgument(slices, 'slices');
    if (count < 1) throw new TemplateError('wrongValue', "'slices' must be at least 1");
    return columns(run, listedItems(v, run, 'slice'), count, fill);
  }),
  unique: defineBuiltin('case_sensitive=, attribute=', (run, v, caseSensitive, attribute) => {
    const path = attributePath(attribute);
    const key = (element: unknown): unknown => fold(run, follow(element, path), caseSensitive);
    return unique(run, listedItems(v, run, 'unique'), key);
  }),
  random: defineBuiltin('', (run, v) => {
    const items = listedItems(v, run, 'random');
    return items[Math.floor(run.world('random').random() * items.length)];
  }),
  shuffle: defineBuiltin('', (run, v) => {
    const items = [...listedItems(v, run, 'shuffle')];
    run.elements(items.length);
    for (let i = items.length - 1; i > 0; i--) {
      const j = Math.floor(run.world('shuffle').random() * (i + 1));
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }),
  flatten: defineBuiltin('levels=', (run, v, levels) => {
    const depth = levels === undefined || levels === null ? Infinity : integerArgument(levels, 'levels');
    return flatten(run, listedItems(v, run, 'flatten'), depth);
  }),
};

/** Strings that differ only in case are equal, unless configured otherwise. */
export function fold(run: Evaluation, value: unknown, caseSensitive: unknown): unknown {
  const v = resolve(value);
  if (typeof v !== 'string') return v;
  run.charge(run.prices.subjectChar * v.length);
  return caseSensitive === true ? v : v.toLowerCase();
}

function join(run: Evaluation, items: readonly unknown[], d: unknown, attribute: unknown): string {
  const separator = toText(d, run);
  const path = attributePath(attribute);
  const parts = items.map((element) => {
    const text = toText(follow(element, path), run);
    run.produce(text.length + separator.length + 1);
    return text;
  });
  return parts.join(separator);
}

function padLast(run: Evaluation, rows: unknown[][], size: number, fill: unknown): void {
  const last = rows.at(-1);
  if (!last || fill === undefined || fill === null) return;
  run.elements(size);
  while (last.length < size) last.push(fill);
}

function columns(run: Evaluation, items: readonly unknown[], count: number, fill: unknown): unknown[][] {
  run.elements(items.length + count * 2);
  const each = Math.floor(items.length / count);
  const extra = items.length % count;
  let start = 0;
  return Array.from({ length: count }, (_, i) => {
    const end = start + each + (i < extra ? 1 : 0);
    const column = items.slice(start, end);
    start = end;
    if (fill !== undefined && fill !== null && i >= extra) column.push(fill);
    return column;
  });
}

/** The first element of each key. Scalars are compared by a hash, containers by value. */
function unique(run: Evaluation, items: readonly unknown[], key: (element: unknown) => unknown): unknown[] {
  const scalars = new Set<unknown>();
  const containers: unknown[] = [];
  return items.filter((element) => {
    run.elements(1);
    const k = key(element);
    const scalar = scalarKey(k);
    if (scalar !== undefined) return scalars.size !== scalars.add(scalar).size;
    if (containers.some((seen) => equals(seen, k, run))) return false;
    containers.push(k);
    return true;
  });
}

/** Equal scalars have equal keys: `1`, `1.0` and `true` are the same, and so are an integer and its text beyond 2^53. */
function scalarKey(v: unknown): string | number | bigint | undefined {
  if (typeof v === 'string') return isBigInteger(v) ? BigInt(v) : `s${v}`;
  if (typeof v === 'boolean') return Number(v);
  if (typeof v === 'number') return Number.isInteger(v) && !Number.isSafeInteger(v) ? BigInt(v) : v;
  if (typeof v === 'bigint') return v;
  if (v === null || v === undefined) return `n${String(v)}`;
  return undefined;
}

function flatten(run: Evaluation, items: readonly unknown[], depth: number): unknown[] {
  return items.flatMap((element) => {
    run.elements(1);
    const v = resolve(element);
    const list = listed(v);
    if (!isList(list) || depth < 1) return [v];
    return run.nested(() => flatten(run, list, depth - 1));
  });
}
