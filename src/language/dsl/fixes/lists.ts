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
import { remarksIn } from './arcs';
import { carried } from './nest';
import {
  columnOf,
  contentEnd,
  isFlow,
  leads,
  lineEnd,
  lineStart,
  entryLines,
  newline,
  remarkBehind,
  shift,
  surround,
} from './text';
import { type Change, rename } from './words';

/** `set: [{name: x, value: 1}]` is a mapping. */
export const setMapping: Change = { what: '`set` → a mapping', edits: fromList };

function fromList({ text, path: [here] }: FixSite): readonly Edit[] | undefined {
  const list = here?.entry.value;
  const pairs = list?.kind === 'list' ? pairsOf(list) : [];
  if (here === undefined || list === undefined || pairs === undefined || pairs.length === 0) return undefined;
  const end = contentEnd(text, here.entry);
  if (!isFlow(text, list)) return leads(text, list.start) ? asBlock(text, here.entry, pairs) : undefined;
  if (remarksIn(text, here.entry, end).length > 0) return undefined;
  const entries = pairs.map(({ name, value }) => {
    return `${nameOf(text, name)}: ${text.slice(value.value.start, contentEnd(text, value))}`;
  });
  return [{ start: list.start, end, text: `{ ${entries.join(', ')} }` }];
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

function nameOf(text: string, { value }: MapEntry): string {
  return text.slice(value.start, value.end).trimEnd();
}

/** Each value under its name, with the comments of its item above it. */
function asBlock(text: string, set: MapEntry, pairs: readonly Pair[]): Edit[] {
  const start = lineEnd(text, set.at.end);
  const end = lineEnd(text, contentEnd(text, set));
  const remarks = remarksIn(text, set, end);
  const indent = newline(text) + ' '.repeat(columnOf(text, set.at.start) + 2);
  let from = start;
  const lines = pairs.flatMap(({ item, name, value }) => {
    const kept = [value.at.start, contentEnd(text, value) + remarkBehind(text, value).length] as const;
    const last = Math.max(...item.entries.map((each) => contentEnd(text, each)));
    const tail = isFlow(text, item) ? text.slice(item.end, lineEnd(text, item.end)).trimEnd() : '';
    const until = tail === '' ? lineEnd(text, last) : item.end;
    const above = remarks.filter(({ at }) => from <= at && at < until && (at < kept[0] || at >= kept[1]));
    from = lineEnd(text, last);
    const entry = carried(text, value, nameOf(text, name));
    return [...above.map((each) => each.text), ...entry.slice(0, -1), `${entry.at(-1)}${tail}`];
  });
  return [{ start, end, text: lines.map((line) => (line === '' ? newline(text) : indent + line)).join('') }];
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
