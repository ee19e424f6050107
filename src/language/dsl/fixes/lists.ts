import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import {
  asMap,
  entry,
  isNull,
  type ListNode,
  type MapEntry,
  type MapNode,
  mapsIn,
  type YamlNode,
} from '../yaml/node';
import {
  columnOf,
  contentEnd,
  isFlow,
  leads,
  lineEnd,
  lineStart,
  entryLines,
  newline,
  removal,
  shift,
  surround,
} from './text';
import { type Change, rename } from './words';

/** `set: [{name: x, value: 1}]` is a mapping. */
export const setMapping: Change = { what: '`set` → a mapping', edits: fromList };

function fromList({ text, path: [here] }: FixSite): readonly Edit[] | undefined {
  const list = here?.entry.value;
  if (list?.kind !== 'list' || list.items.length === 0) return undefined;
  const pairs = pairsOf(list);
  return pairs && asMapping(text, here!.entry, list, pairs);
}

interface Pair {
  readonly item: MapNode;
  readonly name: MapEntry;
  readonly value: MapEntry;
}

function pairsOf(list: ListNode): Pair[] | undefined {
  const pairs = mapsIn(list).flatMap((item): Pair[] => {
    const [name, value] = [entry(item, 'name'), entry(item, 'value')];
    if (name?.value.kind !== 'scalar' || isNull(name.value) || value === undefined) return [];
    return item.entries.length === 2 ? [{ item, name, value }] : [];
  });
  const names = pairs.map(({ name }) => String((name.value as { value: unknown }).value));
  return pairs.length === list.items.length && new Set(names).size === names.length ? pairs : undefined;
}

function asMapping(
  text: string,
  set: MapEntry,
  list: ListNode,
  pairs: readonly Pair[],
): readonly Edit[] | undefined {
  const brackets = isFlow(text, list);
  // A list may start in its key's column; a mapping must be indented.
  const deeper = columnOf(text, set.at.start) + 2 - columnOf(text, list.start);
  const by = brackets ? 0 : Math.max(0, deeper);
  const edits = pairs.map((pair) => asEntry(text, pair, brackets, by));
  if (edits.some((each) => each === undefined)) return undefined;
  const all = edits.flatMap((each) => each!);
  if (brackets) {
    const ends = [
      { start: list.start, end: list.start + 1, text: '{ ' },
      { start: list.end - 1, end: list.end, text: ' }' },
    ];
    return [...ends, ...all];
  }
  if (!leads(text, list.start)) return undefined;
  const moved = shift(text, lineEnd(text, set.at.end) + 1, entryLines(text, set).end, by);
  const kept = moved.filter(
    ({ start }) => !all.some((deletion) => deletion.start <= start && start < deletion.end),
  );
  return [...kept, ...all];
}

/** The edits of one item, from its dash, unless it is in brackets with others. */
function asEntry(
  text: string,
  { item, name, value }: Pair,
  brackets: boolean,
  by: number,
): readonly Edit[] | undefined {
  const key = text.slice(name.value.start, name.value.end).trimEnd();
  const start = brackets ? item.start : text.lastIndexOf('-', item.start - 1);
  if (isFlow(text, item)) {
    const inner = text.slice(value.value.start, contentEnd(text, value));
    const whole = text.slice(item.start, item.end);
    if (/#/.test(whole.replace(inner, ''))) return undefined;
    return [{ start, end: item.end, text: `${key}: ${inner}` }];
  }
  if (brackets) return undefined;
  if (name.at.start > value.at.start) {
    const deletions = removal(text, item, name);
    const rest = text.slice(contentEnd(text, name), entryLines(text, name).end).trim();
    return deletions && rest === '' ? [{ start, end: value.at.end, text: key }, ...deletions] : undefined;
  }
  const between = text.slice(contentEnd(text, name), value.at.start);
  const indent = ' '.repeat(columnOf(text, start) + by);
  const remarks = between.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const head = remarks.map((line) => line + newline(text) + indent).join('');
  return [{ start, end: value.at.end, text: head + key }];
}

/** `then: [- step: x]` of a rule of `case` becomes `next`; adjacent targets are combined. */
export const stepAsNext: Change = { what: '`step` → `next`', edits: withNext };

function withNext({ text, path: [, around] }: FixSite): Edit[] | undefined {
  const then = around?.entry.value;
  if (then?.kind === 'map') return targetOf(text, then);
  if (then?.kind !== 'list') return undefined;
  const steps = then.items.filter(isTarget);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const from = then.items.indexOf(first);
  const apart = then.items.slice(from, from + steps.length).some((item) => !isTarget(item));
  if (apart || then.items.some((item) => entry(asMap(item), 'next') !== undefined)) return undefined;
  if (isFlow(text, then)) return surround(first.start, last.end, '{ next: [', '] }');
  const start = lineStart(text, first.start);
  const dash = text.lastIndexOf('-', first.start - 1);
  const end = entryLines(text, asMap(last)!.entries.at(-1)!).end;
  if (dash < start || !leads(text, dash)) return undefined;
  const head = { start, end: start, text: `${' '.repeat(columnOf(text, dash))}- next:${newline(text)}` };
  return [head, ...shift(text, start, end, 4)];
}

/** `then: {step: x}`: with other actions only if the target has no further fields. */
function targetOf(text: string, then: MapNode): Edit[] | undefined {
  const step = entry(then, 'step');
  if (step === undefined || entry(then, 'next') !== undefined) return undefined;
  if (then.entries.filter(({ key }) => OF_TARGET.has(key)).length === 1) return [rename(step, 'next')];
  if (!isTarget(then)) return undefined;
  if (isFlow(text, then)) return surround(then.start, then.end, '{ next: ', ' }');
  if (!leads(text, then.start)) return undefined;
  const start = lineStart(text, then.start);
  const head = `${' '.repeat(columnOf(text, then.start))}next:${newline(text)}`;
  const moved = shift(text, start, entryLines(text, then.entries.at(-1)!).end, 2);
  return [{ start, end: start, text: head }, ...moved];
}

const OF_TARGET = new Set(['step', 'args', 'input', 'with']);

function isTarget(item: YamlNode): boolean {
  const map = asMap(item);
  return entry(map, 'step') !== undefined && map!.entries.every(({ key }) => OF_TARGET.has(key));
}
