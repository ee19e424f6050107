import {
  asMap,
  child,
  entry,
  type MapEntry,
  isNull,
  type ListNode,
  type MapNode,
  type YamlNode,
} from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import {
  columnOf,
  contentEnd,
  type Edit,
  isFlow,
  leads,
  lineEnd,
  lineStart,
  entryLines,
  newline,
  removal,
  shift,
  surround,
} from '../text';
import { mapsOf, writtenSteps } from '../walk';
import { entriesWithin } from '../within';
import { rename } from './words';

/** `set: [{name: x, value: 1}]` is a mapping. */
export function setLists({ text, root }: RewriteSource): Rewrite[] {
  const parts = [child(root, 'workflow'), child(root, 'workbook')];
  const entries = parts.flatMap((part) => entriesWithin(part, ['set', 'set_ctx', 'set_iter']));
  return entries.flatMap(({ entry: set }): Rewrite[] => {
    if (set.value.kind !== 'list' || set.value.items.length === 0) return [];
    const pairs = pairsOf(set.value);
    const edits = pairs && asMapping(text, set, set.value, pairs);
    return edits === undefined ? [] : [{ what: '`set` → a mapping', at: set.at, edits }];
  });
}

interface Pair {
  readonly item: MapNode;
  readonly name: MapEntry;
  readonly value: MapEntry;
}

function pairsOf(list: ListNode): Pair[] | undefined {
  const pairs = mapsOf(list).flatMap((item): Pair[] => {
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
export function thenSteps({ text, root }: RewriteSource): Rewrite[] {
  const rules = writtenSteps(root).flatMap((step) => mapsOf(child(step, 'case')));
  return rules.flatMap((rule): Rewrite[] => {
    const otherwise = child(rule, 'else');
    const then =
      child(asMap(otherwise), 'then') ?? (otherwise?.kind === 'list' ? otherwise : child(rule, 'then'));
    if (then?.kind === 'map') return targetOf(text, then);
    if (then?.kind !== 'list') return [];
    const steps = then.items.filter(isTarget);
    const [first, last] = [steps[0], steps.at(-1)];
    if (first === undefined || last === undefined) return [];
    const from = then.items.indexOf(first);
    const apart = then.items.slice(from, from + steps.length).some((item) => !isTarget(item));
    if (apart || then.items.some((item) => entry(asMap(item), 'next') !== undefined)) return [];
    const what = '`step` → `next`';
    const at = entry(asMap(first), 'step')!.at;
    if (isFlow(text, then)) {
      return [{ what, at, edits: surround(first.start, last.end, '{ next: [', '] }') }];
    }
    const start = lineStart(text, first.start);
    const dash = text.lastIndexOf('-', first.start - 1);
    const end = entryLines(text, asMap(last)!.entries.at(-1)!).end;
    if (dash < start || !leads(text, dash)) return [];
    const head = { start, end: start, text: `${' '.repeat(columnOf(text, dash))}- next:${newline(text)}` };
    return [{ what, at, edits: [head, ...shift(text, start, end, 4)] }];
  });
}

/** `then: {step: x}`: with other actions only if the target has no further fields. */
function targetOf(text: string, then: MapNode): Rewrite[] {
  const step = entry(then, 'step');
  if (step === undefined || entry(then, 'next') !== undefined) return [];
  const what = '`step` → `next`';
  if (then.entries.filter(({ key }) => OF_TARGET.has(key)).length === 1)
    return [{ what, at: step.at, edits: [rename(step, 'next')] }];
  if (!isTarget(then)) return [];
  if (isFlow(text, then)) {
    return [{ what, at: step.at, edits: surround(then.start, then.end, '{ next: ', ' }') }];
  }
  if (!leads(text, then.start)) return [];
  const start = lineStart(text, then.start);
  const head = `${' '.repeat(columnOf(text, then.start))}next:${newline(text)}`;
  const moved = shift(text, start, entryLines(text, then.entries.at(-1)!).end, 2);
  return [{ what, at: step.at, edits: [{ start, end: start, text: head }, ...moved] }];
}

const OF_TARGET = new Set(['step', 'args', 'input', 'with']);

function isTarget(item: YamlNode): boolean {
  const map = asMap(item);
  return entry(map, 'step') !== undefined && map!.entries.every(({ key }) => OF_TARGET.has(key));
}
