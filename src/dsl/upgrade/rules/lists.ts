import {
  asMap,
  child,
  entry,
  type Entry,
  isNull,
  type ListNode,
  type MapNode,
  type Node,
} from '../../yaml/node';
import { type Rewrite, type Source } from '../rewrite';
import {
  columnOf,
  contentEnd,
  type Edit,
  isFlow,
  leads,
  lineStart,
  linesOf,
  newline,
  removal,
  shift,
} from '../text';
import { mapsOf, stepsOf, toolsOf } from '../walk';
import { entriesWithin } from '../within';
import { carried } from './nest';

/** `set: [{name: x, value: 1}]` is a mapping. */
export function setLists({ text, root }: Source): Rewrite[] {
  const parts = [child(root, 'workflow'), child(root, 'workbook')];
  const found = parts.flatMap((part) => entriesWithin(part, ['set', 'set_ctx', 'set_iter']));
  return found.flatMap(({ entry: set }): Rewrite[] => {
    if (set.value.kind !== 'list' || set.value.items.length === 0) return [];
    const pairs = pairsOf(set.value);
    const edits = pairs && asMapping(text, set, set.value, pairs);
    return edits === undefined ? [] : [{ what: '`set` → a mapping', at: set.at, edits }];
  });
}

interface Pair {
  readonly item: MapNode;
  readonly name: Entry;
  readonly value: Entry;
}

function pairsOf(list: ListNode): Pair[] | undefined {
  const pairs = mapsOf(list).flatMap((item): Pair[] => {
    const [name, value] = [entry(item, 'name'), entry(item, 'value')];
    if (name?.value.kind !== 'scalar' || isNull(name.value) || value === undefined) return [];
    return item.entries.length === 2 && !isNull(value.value) ? [{ item, name, value }] : [];
  });
  const names = pairs.map(({ name }) => String((name.value as { value: unknown }).value));
  return pairs.length === list.items.length && new Set(names).size === names.length ? pairs : undefined;
}

function asMapping(
  text: string,
  set: Entry,
  list: ListNode,
  pairs: readonly Pair[],
): readonly Edit[] | undefined {
  const brackets = isFlow(text, list);
  const edits = pairs.map((pair) => asEntry(text, pair, brackets));
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
  // A list may stand in the column of its key; a mapping stands deeper.
  const by = Math.max(0, columnOf(text, set.at.start) + 2 - columnOf(text, list.start));
  return [...shift(text, lineStart(text, list.start), linesOf(text, set).end, by), ...all];
}

/** The edits of one item, from its dash on, unless it stands in brackets with others. */
function asEntry(text: string, { item, name, value }: Pair, brackets: boolean): readonly Edit[] | undefined {
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
    const gone = removal(text, item, name);
    const rest = text.slice(contentEnd(text, name), linesOf(text, name).end).trim();
    return gone && rest === '' ? [{ start, end: value.at.end, text: key }, ...gone] : undefined;
  }
  const between = text.slice(contentEnd(text, name), value.at.start);
  const indent = ' '.repeat(columnOf(text, start));
  const remarks = between.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const head = remarks.map((line) => line + newline(text) + indent).join('');
  return [{ start, end: value.at.end, text: head + key }];
}

/** `then: [- step: x]` of a rule of `case` is its `next`; targets in a row are one. */
export function thenSteps({ text, root }: Source): Rewrite[] {
  const rules = stepsOf(root).flatMap((step) => mapsOf(child(step, 'case')));
  return rules.flatMap((rule): Rewrite[] => {
    const otherwise = child(rule, 'else');
    const then =
      child(asMap(otherwise), 'then') ?? (otherwise?.kind === 'list' ? otherwise : child(rule, 'then'));
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
      const edits = [
        { start: first.start, end: first.start, text: '{ next: [' },
        { start: last.end, end: last.end, text: '] }' },
      ];
      return [{ what, at, edits }];
    }
    const start = lineStart(text, first.start);
    const dash = text.lastIndexOf('-', first.start - 1);
    const end = linesOf(text, asMap(last)!.entries.at(-1)!).end;
    if (dash < start || !leads(text, dash)) return [];
    const head = { start, end: start, text: `${' '.repeat(columnOf(text, dash))}- next:${newline(text)}` };
    return [{ what, at, edits: [head, ...shift(text, start, end, 4)] }];
  });
}

const OF_TARGET = new Set(['step', 'args', 'input', 'with', 'set', 'set_ctx', 'set_iter']);

function isTarget(item: Node): boolean {
  const map = asMap(item);
  return entry(map, 'step') !== undefined && map!.entries.every(({ key }) => OF_TARGET.has(key));
}

/** `spec.input` (`args`, `with`) of a tool is its `input`. */
export function specInputs({ text, root }: Source): Rewrite[] {
  return toolsOf(root).flatMap(({ tool }): Rewrite[] => {
    const spec = entry(tool, 'spec');
    const inner = asMap(spec?.value);
    const keys = ['input', 'args', 'with'];
    const found = keys.flatMap((key) => entry(inner, key) ?? []);
    const [moved] = found;
    if (spec === undefined || inner === undefined || moved?.value.kind !== 'map' || found.length > 1)
      return [];
    if (keys.some((key) => entry(tool, key)?.value.kind === 'map')) return [];
    const edits = outOfSpec(text, tool, spec, inner, moved);
    return edits === undefined ? [] : [{ what: `\`spec.${moved.key}\` → \`input\``, at: moved.at, edits }];
  });
}

function outOfSpec(
  text: string,
  tool: MapNode,
  spec: Entry,
  inner: MapNode,
  moved: Entry,
): readonly Edit[] | undefined {
  const { start } = spec.at;
  const alone = inner.entries.length === 1;
  if (isFlow(text, tool)) {
    const written = `input: ${text.slice(moved.value.start, contentEnd(text, moved))}`;
    if (alone) return [{ start, end: contentEnd(text, spec), text: written }];
    const gone = removal(text, inner, moved);
    return gone && [{ start, end: start, text: `${written}, ` }, ...gone];
  }
  const indent = ' '.repeat(columnOf(text, start));
  const end = newline(text);
  const lines = carried(text, moved, 'input').map((line, i) =>
    i === 0 || line === '' ? line : indent + line,
  );
  if (!alone) {
    const gone = removal(text, inner, moved);
    return gone && [{ start, end: start, text: lines.join(end) + end + indent }, ...gone];
  }
  const between = text.slice(spec.at.end + 1, moved.at.start).split(/\r?\n/);
  const remarks = between.flatMap((line) => (line.trim().startsWith('#') ? [line.trim()] : []));
  if (isFlow(text, inner) && remarks.length > 0) return undefined;
  const whole = linesOf(text, spec);
  if (isFlow(text, inner)) return [{ start, end: contentEnd(text, spec), text: lines.join(end + indent) }];
  return [
    {
      start,
      end: whole.end,
      text: [...remarks.map((line) => line + end + indent), lines.join(end)].join('') + end,
    },
  ];
}
