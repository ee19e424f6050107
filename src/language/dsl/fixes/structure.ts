import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import {
  asMap,
  asText,
  child,
  entriesOf,
  entry,
  isNull,
  type MapEntry,
  type MapNode,
  type YamlNode,
} from '../yaml/node';
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

/** The `else` of a rule with `when` becomes a rule behind it. */
export const elseApart: Change = { what: '`else` → a rule of its own', edits: apart };

function apart({ text, path: [here, around] }: FixSite): Edit[] | undefined {
  const last = here?.map.entries.at(-1);
  if (here === undefined || last !== here.entry) return undefined;
  const { start } = here.entry.at;
  const head = here.map.start;
  if (isFlow(text, here.map)) {
    const before = contentEnd(text, here.map.entries.at(-2)!);
    const isLine = around !== undefined && isFlow(text, around.entry.value);
    const dash = `${newline(text)}${' '.repeat(columnOf(text, text.lastIndexOf('-', head)))}- `;
    return [{ start: before, end: start, text: ` }${isLine ? ', ' : dash}{ ` }];
  }
  // The dash of the rule, and what is between it and its first key.
  const dash = text.slice(text.lastIndexOf('-', head), head);
  if (!leads(text, start) || !/^-[ ]+$/.test(dash)) return undefined;
  return [{ start: start - dash.length, end: start, text: dash }];
}

/** Converts a `next` that names its steps directly to a router. */
export const nextAsRouter: Change = {
  what: '`next` → `next.arcs`',
  edits: ({ text, path: [here] }) => here && asRouter(text, here.map, here.entry),
};

const CONDITIONAL = ['when', 'then', 'else', 'spec'];

function asRouter(text: string, step: MapNode, next: MapEntry): Edit[] | undefined {
  const { value } = next;
  if (value.kind === 'map' && (entry(value, 'arcs') ?? !entry(value, 'step'))) return undefined;
  const items = value.kind === 'list' ? value.items : [value];
  // Conditional targets are handled by another fix, or not at all.
  const isPlain = items.every((item) => entriesOf(item).every(({ key }) => !CONDITIONAL.includes(key)));
  if (items.length === 0 || !isPlain) return undefined;
  const written = (node: YamlNode): string => text.slice(node.start, node.end).trimEnd();
  const end = value.start + written(value).length;
  const isLine = value.kind === 'scalar' || isFlow(text, value);
  if (isFlow(text, step) || isLine) {
    if (written(value).includes('#')) return undefined;
    const arcs = items.map((item) => (item.kind === 'scalar' ? `step: ${written(item)}` : written(item)));
    if (!isFlow(text, step)) {
      const lines = arcs.map((arc) => `    - ${arc}`);
      return [{ start: afterColon(text, next), end, text: routerHead(text, next, items.length, lines) }];
    }
    const mode = items.length > 1 ? 'spec: { mode: inclusive }, ' : '';
    const inner = arcs.map((arc, i) => (items[i]?.kind === 'scalar' ? `{ ${arc} }` : arc));
    return [{ start: value.start, end, text: `{ ${mode}arcs: [${inner.join(', ')}] }` }];
  }
  return leads(text, value.start) ? blockArcs(text, next, items) : undefined;
}

/** The lines of a router below its key, up to its arcs. */
function routerHead(text: string, next: MapEntry, arcs: number, lines: readonly string[] = []): string {
  const mode = arcs > 1 ? ['  spec:', '    mode: inclusive'] : [];
  const indent = newline(text) + ' '.repeat(columnOf(text, next.at.start));
  return [...mode, '  arcs:', ...lines].map((line) => indent + line).join('');
}

function blockArcs(text: string, next: MapEntry, items: readonly YamlNode[]): Edit[] {
  const { value } = next;
  const column = columnOf(text, next.at.start);
  const from = columnOf(text, value.start);
  const first = lineStart(text, value.start);
  const start = lineEnd(text, next.at.end);
  const head = { start, end: start, text: routerHead(text, next, items.length) };
  const { end } = entryLines(text, next);
  if (value.kind === 'map') {
    const dash = { start: first, end: value.start, text: `${' '.repeat(column + 4)}- ` };
    return [head, dash, ...shift(text, lineEnd(text, value.start) + 1, end, column + 6 - from)];
  }
  const named = items.flatMap((item) =>
    item.kind === 'scalar' ? [{ start: item.start, end: item.start, text: 'step: ' }] : [],
  );
  return [head, ...shift(text, first, end, column + (from === column ? 2 : 4) - from), ...named];
}
