import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { attributePath, follow } from '../values/access';
import { dictArgument } from '../values/arguments';
import { compareValues, compareTexts, equals } from '../values/compare';
import { isBigInteger } from '../values/digits';
import { GroupTuple, Tuple } from '../values/kinds';
import { Meter } from '../values/meter';
import { listedItems } from '../values/sequence';
import { chargeSort } from '../values/weight';
import { truthy } from '../values/truth';
import { fold } from './sequences';

/** Filters based on order: sorting, extremes, grouping. */
export const orderFilters: Builtins = {
  sort: defineBuiltin(
    'reverse=, case_sensitive=, attribute=',
    (run, v, reverse, caseSensitive, attribute) => {
      const paths = attributePaths(attribute);
      const key = (element: unknown): unknown[] =>
        paths.map((path) => fold(run, follow(element, path), truthy(caseSensitive)));
      return sortBy(run, listedItems(v, run, 'sort'), key, truthy(reverse));
    },
  ),
  dictsort: defineBuiltin('case_sensitive=, by=, reverse=', (run, v, caseSensitive, by = 'key', reverse) => {
    if (by !== 'key' && by !== 'value')
      throw new TemplateError('wrongValue', "dictsort sorts by 'key' or 'value'");
    const entries = Object.entries(dictArgument(v, 'dictsort')).map((entry) => Tuple.make(entry));
    const part = by === 'key' ? 0 : 1;
    return sortBy(run, entries, (entry) => [fold(run, entry[part], truthy(caseSensitive))], truthy(reverse));
  }),
  min: extreme('min', (order) => order < 0),
  max: extreme('max', (order) => order > 0),
  groupby: defineBuiltin(
    'attribute, default=, case_sensitive=',
    (run, v, attribute, fallback, caseSensitive) => {
      const path = attributePath(attribute);
      const real = (element: unknown): unknown =>
        follow(element, path) ?? fallbackOf(element, path, fallback);
      const items = sortBy(
        run,
        listedItems(v, run, 'groupby'),
        (e) => [fold(run, real(e), truthy(caseSensitive))],
        false,
      );
      return groups(run, items, real, truthy(caseSensitive));
    },
  ),
};

/** The default replaces undefined, not `none`. */
function fallbackOf(element: unknown, path: readonly (string | number)[], fallback: unknown): unknown {
  return follow(element, path) === undefined ? fallback : null;
}

function attributePaths(attribute: unknown): (readonly (string | number)[])[] {
  return typeof attribute === 'string' ? attribute.split(',').map(attributePath) : [attributePath(attribute)];
}

function extreme(name: string, better: (order: number) => boolean): Builtins[string] {
  return defineBuiltin('case_sensitive=, attribute=', (run, v, caseSensitive, attribute) => {
    const path = attributePath(attribute);
    const key = (element: unknown): unknown => fold(run, follow(element, path), truthy(caseSensitive));
    const items = listedItems(v, run, name);
    let best = 0;
    for (let i = 1; i < items.length; i++) {
      run.charge(run.prices.visitedElement);
      if (better(compareValues(key(items[i]), key(items[best]), run))) best = i;
    }
    return items[best];
  });
}

/** Stable, also in reverse: equal elements keep their order, as in Python's `sorted`. */
function sortBy<T>(
  run: Evaluation,
  items: readonly T[],
  key: (element: T) => unknown[],
  reverse: boolean,
): T[] {
  run.elements(items.length * 2);
  const keyed = items.map((element) => [key(element), element] as const);
  chargeSort(
    run,
    items.length,
    keyed.flatMap(([parts]) => parts),
  );
  // How many comparisons are made is V8's affair: they are paid for already.
  const free = new Meter(Infinity, run.prices);
  const sign = reverse ? -1 : 1;
  const areTexts = textColumns(keyed.map(([parts]) => parts));
  keyed.sort(([a], [b]) => sign * compareKeys(free, a, b, areTexts));
  return keyed.map(([, element]) => element);
}

/** Keys of which one is a text other than that of an integer: all of them are ordered as texts, so that it is one order. */
function textColumns(keys: readonly (readonly unknown[])[]): readonly boolean[] {
  return (keys[0] ?? []).map((_, i) =>
    keys.some((parts) => typeof parts[i] === 'string' && !isBigInteger(parts[i])),
  );
}

function compareKeys(
  meter: Meter,
  a: readonly unknown[],
  b: readonly unknown[],
  areTexts: readonly boolean[],
): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    const both = areTexts[i] && typeof x === 'string' && typeof y === 'string';
    const order = equals(x, y, meter) ? 0 : both ? compareTexts(x, y) : compareValues(x, y, meter);
    if (order !== 0) return order;
  }
  return 0;
}

function groups(
  run: Evaluation,
  sorted: readonly unknown[],
  real: (e: unknown) => unknown,
  caseSensitive: boolean,
): GroupTuple[] {
  const result: { key: unknown; members: unknown[] }[] = [];
  for (const element of sorted) {
    const key = fold(run, real(element), caseSensitive);
    const last = result.at(-1);
    if (last && equals(last.key, key, run)) last.members.push(element);
    else result.push({ key, members: [element] });
  }
  return result.map(({ members }) => GroupTuple.of2(real(members[0]), members));
}
