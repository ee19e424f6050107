import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import { asMap, asText, child, entry, isNull, type MapEntry, type MapNode, mapsIn } from '../yaml/node';
import {
  afterColon,
  columnOf,
  contentEnd,
  isBelow,
  isFlow,
  leads,
  lineEnd,
  entryLines,
  lineStart,
  newline,
  remarkBehind,
  removal,
  shift,
  surround,
} from './text';
import { type Change, rename } from './words';

/** Moves an entry of a mapping, which is one of `keys`, into the mapping `target` beside it. */
export function into(target: string, keys: readonly string[]): Change {
  const edits = ({ text, path: [here] }: FixSite): Edit[] | undefined => {
    if (here === undefined) return undefined;
    const first = keys.find((key) => movable(text, entry(here.map, key)) !== undefined);
    // If `target` does not exist, one change creates it, and the next pass fills it.
    if (entry(here.map, target) === undefined && here.entry.key !== first) return undefined;
    return moveInto(text, here.map, here.entry, target);
  };
  return { what: `${keys.map((key) => `\`${key}\``).join(', ')} → \`${target}\``, edits };
}

/** What an entry of one line says. */
function movable(text: string, moved: MapEntry | undefined): string | undefined {
  if (moved?.value.kind !== 'scalar' || isNull(moved.value)) return undefined;
  const written = text.slice(moved.at.start, contentEnd(text, moved));
  return written.includes('\n') ? undefined : written;
}

function moveInto(text: string, map: MapNode, moved: MapEntry, target: string): Edit[] | undefined {
  const written = movable(text, moved);
  if (written === undefined) return undefined;
  const home = entry(map, target);
  const { start } = moved.at;
  if (home === undefined) {
    const indent = ' '.repeat(columnOf(text, start) + 2);
    const block = isFlow(text, map)
      ? `${target}: { ${written} }`
      : `${target}:${newline(text)}${indent}${written}`;
    return [{ start, end: contentEnd(text, moved), text: block }];
  }
  const inner = asMap(home.value);
  const deletions = removal(text, map, moved);
  if (inner === undefined || inner.entries.length === 0 || entry(inner, moved.key)) return undefined;
  if (deletions === undefined) return undefined;
  const last = contentEnd(text, inner.entries.at(-1)!);
  const added: Edit = isFlow(text, inner)
    ? { start: last, end: last, text: `, ${written}` }
    : below(text, inner, last, written + remarkBehind(text, moved));
  return [added, ...deletions];
}

/** The edit that writes an entry into a block mapping, after the line of an offset. */
export function below(text: string, inner: MapNode, last: number, written: string): Edit {
  const end = lineEnd(text, last);
  const indent = ' '.repeat(columnOf(text, inner.entries[0]!.at.start));
  return { start: end, end, text: `${newline(text)}${indent}${written}` };
}

/** `- fetch: {kind: http}` becomes `- name: fetch` with the fields beside it. */
export const labelAsName: Change = { what: 'label → `name`', edits: withName };

function withName({ text, path: [here] }: FixSite): Edit[] | undefined {
  if (here === undefined) return undefined;
  const { map: item, entry: label } = here;
  const tool = asMap(label.value);
  if (tool === undefined || tool.entries.length === 0) return undefined;
  const called = entry(tool, 'name');
  const edits: Edit[] = [];
  if (called !== undefined) {
    const kind = asText(child(tool, 'kind'));
    const key = kind === 'workbook' ? 'task' : kind === 'playbook' ? 'path' : undefined;
    if (key === undefined || entry(tool, key) !== undefined) return undefined;
    edits.push(rename(called, key));
  }
  const name = text.slice(label.at.start, label.at.end);
  if (isFlow(text, tool)) {
    const start = { start: item.start, end: tool.start + 1 };
    edits.push({ ...start, text: `{ name: ${name},${text[tool.start + 1] === ' ' ? '' : ' '}` });
    if (isFlow(text, item)) edits.push({ start: tool.end, end: item.end, text: '' });
    return edits;
  }
  if (!isBelow(text, label) || !leads(text, tool.start)) return undefined;
  edits.push({ start: label.at.start, end: afterColon(text, label), text: `name: ${name}` });
  const by = columnOf(text, label.at.start) - columnOf(text, tool.start);
  const from = lineEnd(text, label.at.end) + 1;
  return [...edits, ...shift(text, from, entryLines(text, label).end, by)];
}

/** Moves the actions of an `else` to its `then`. */
export const elseThen: Change = { what: '`else` → `else.then`', edits: underThen };

function underThen({ text, path: [here] }: FixSite): Edit[] | undefined {
  if (here === undefined) return undefined;
  const { map: rule, entry: otherwise } = here;
  const { value } = otherwise;
  if (isNull(value)) {
    const then = entry(rule, 'then');
    if (then === undefined || isFlow(text, rule) || !leads(text, then.at.start)) return undefined;
    const { start, end } = entryLines(text, then);
    return shift(text, start, end, 2);
  }
  if (value.kind === 'scalar') return undefined;
  if (isFlow(text, value)) return surround(value.start, value.end, '{ then: ', ' }');
  if (!leads(text, value.start)) return undefined;
  const start = lineStart(text, value.start);
  // A list may start in its key's column; a mapping must be indented.
  const column = Math.max(columnOf(text, value.start), columnOf(text, otherwise.at.start) + 2);
  const by = column + 2 - columnOf(text, value.start);
  const opened = { start, end: start, text: `${' '.repeat(column)}then:${newline(text)}` };
  return [opened, ...shift(text, start, entryLines(text, otherwise).end, by)];
}

/** Converts a `next` that names its steps directly to a router. */
export const nextAsRouter: Change = {
  what: '`next` → `next.arcs`',
  edits: ({ text, path: [here] }) => here && asRouter(text, here.map, here.entry),
};

function asRouter(text: string, step: MapNode, next: MapEntry): Edit[] | undefined {
  const { value } = next;
  if (value.kind === 'map' && (entry(value, 'arcs') ?? !entry(value, 'step'))) return undefined;
  // Conditional targets are handled by another rule, or not at all.
  const maps = value.kind === 'map' ? [value] : mapsIn(value);
  if (maps.some(({ entries }) => entries.some(({ key }) => ['when', 'then', 'else', 'spec'].includes(key))))
    return undefined;
  if (isFlow(text, step)) return inBrackets(text, next);
  const eol = newline(text);
  const column = columnOf(text, next.at.start);
  const indent = ' '.repeat(column + 2);
  const several = value.kind === 'list' && value.items.length > 1;
  const head = `${several ? `${eol}${indent}spec:${eol}${indent}  mode: inclusive` : ''}${eol}${indent}arcs:`;
  const colon = afterColon(text, next);
  if (value.kind !== 'list') {
    const written = text.slice(value.start, value.end).trimEnd();
    const block = value.kind === 'map' && !isFlow(text, value);
    if (block) {
      if (!leads(text, value.start)) return undefined;
      const from = lineStart(text, value.start);
      const by = column + 6 - columnOf(text, value.start);
      const dash = { start: from, end: value.start, text: `${indent}  - ` };
      const rest = shift(text, lineEnd(text, value.start) + 1, entryLines(text, next).end, by);
      return [{ start: colon, end: colon, text: head }, dash, ...rest];
    }
    const arc = value.kind === 'map' ? written : `step: ${written}`;
    return [{ start: colon, end: value.start + written.length, text: `${head}${eol}${indent}  - ${arc}` }];
  }
  if (value.items.length === 0) return undefined;
  const steps = value.items.map((item) => (item.kind === 'scalar' ? 'step: ' : ''));
  if (isFlow(text, value)) {
    const arcs = value.items.map(
      (item, i) => `${indent}  - ${steps[i]}${text.slice(item.start, item.end).trimEnd()}`,
    );
    return [{ start: colon, end: value.end, text: [head, ...arcs].join(eol) }];
  }
  if (!leads(text, value.start)) return undefined;
  const dash = columnOf(text, value.start);
  const from = lineStart(text, value.start);
  const by = column + (dash === column ? 2 : 4) - dash;
  const named = value.items.flatMap((item, i) =>
    steps[i] === '' ? [] : [{ start: item.start, end: item.start, text: 'step: ' }],
  );
  const end = lineEnd(text, colon);
  return [{ start: end, end, text: head }, ...shift(text, from, entryLines(text, next).end, by), ...named];
}

/** The router of a step in brackets. */
function inBrackets(text: string, next: MapEntry): Edit[] | undefined {
  const { value } = next;
  const items = value.kind === 'list' ? value.items : [value];
  const arcs = items.map((item) => {
    const written = text.slice(item.start, item.end).trimEnd();
    return item.kind === 'scalar' ? `{ step: ${written} }` : written;
  });
  if (arcs.length === 0 || text.slice(value.start, value.end).includes('#')) return undefined;
  const mode = arcs.length > 1 ? 'spec: { mode: inclusive }, ' : '';
  const end = value.start + text.slice(value.start, value.end).trimEnd().length;
  return [{ start: value.start, end, text: `{ ${mode}arcs: [${arcs.join(', ')}] }` }];
}
