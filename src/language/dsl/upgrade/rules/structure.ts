import { asMap, asText, child, entry, type MapEntry, isNull, type MapNode } from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import {
  afterColon,
  columnOf,
  contentEnd,
  type Edit,
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
} from '../text';
import { loopsOf, mapsOf, writtenRules, writtenSteps, toolsOf } from '../walk';
import { rename } from './words';

/** Moves `name` and `path` of the root to `metadata`. */
export function rootNames(source: RewriteSource): Rewrite[] {
  return intoAll(source, source.root, ['name', 'path'], 'metadata');
}

/** Moves `mode` and `max_in_flight` of a loop to its `spec`. */
export function loopKnobs(source: RewriteSource): Rewrite[] {
  return loopsOf(source.root).flatMap((loop) => intoAll(source, loop, ['mode', 'max_in_flight'], 'spec'));
}

/** If `target` does not exist, one rewrite creates it, and the next pass fills it. */
function intoAll(source: RewriteSource, map: MapNode, keys: readonly string[], target: string): Rewrite[] {
  const edits = keys.flatMap((key) => into(source, map, key, target));
  return entry(map, target) === undefined ? edits.slice(0, 1) : edits;
}

/** Moves an entry of a mapping into the mapping `target` beside it, creating it if missing. */
function into({ text }: RewriteSource, map: MapNode, key: string, target: string): Rewrite[] {
  const moved = entry(map, key);
  if (moved === undefined || moved.value.kind !== 'scalar' || isNull(moved.value)) return [];
  const what = `\`${key}\` → \`${target}.${key}\``;
  const written = text.slice(moved.at.start, contentEnd(text, moved));
  if (written.includes('\n')) return [];
  const home = entry(map, target);
  const { start } = moved.at;
  if (home === undefined) {
    const indent = ' '.repeat(columnOf(text, start) + 2);
    const block = isFlow(text, map)
      ? `${target}: { ${written} }`
      : `${target}:${newline(text)}${indent}${written}`;
    return [{ what, at: moved.at, edits: [{ start, end: contentEnd(text, moved), text: block }] }];
  }
  const inner = asMap(home.value);
  const deletions = removal(text, map, moved);
  if (inner === undefined || inner.entries.length === 0 || entry(inner, key) || deletions === undefined)
    return [];
  const last = contentEnd(text, inner.entries.at(-1)!);
  const added: Edit = isFlow(text, inner)
    ? { start: last, end: last, text: `, ${written}` }
    : below(text, inner, last, written + remarkBehind(text, moved));
  return [{ what, at: moved.at, edits: [added, ...deletions] }];
}

/** The edit that writes an entry into a block mapping, after the line of an offset. */
export function below(text: string, inner: MapNode, last: number, written: string): Edit {
  const end = lineEnd(text, last);
  const indent = ' '.repeat(columnOf(text, inner.entries[0]!.at.start));
  return { start: end, end, text: `${newline(text)}${indent}${written}` };
}

/** `- fetch: {kind: http}` becomes `- name: fetch` with the fields beside it. */
export function labels(source: RewriteSource): Rewrite[] {
  const { text } = source;
  return toolsOf(source.root).flatMap(({ tool, label, item }) => {
    if (label === undefined || tool.entries.length === 0) return [];
    const what = `\`${label.key}:\` → \`name: ${label.key}\``;
    const called = entry(tool, 'name');
    const edits: Edit[] = [];
    if (called !== undefined) {
      const kind = asText(child(tool, 'kind'));
      const key = kind === 'workbook' ? 'task' : kind === 'playbook' ? 'path' : undefined;
      if (key === undefined || entry(tool, key) !== undefined) return [];
      edits.push(rename(called, key));
    }
    const name = text.slice(label.at.start, label.at.end);
    if (isFlow(text, tool)) {
      edits.push({
        start: item.start,
        end: tool.start + 1,
        text: `{ name: ${name},${text[tool.start + 1] === ' ' ? '' : ' '}`,
      });
      if (isFlow(text, item)) edits.push({ start: tool.end, end: item.end, text: '' });
      return [{ what, at: label.at, edits }];
    }
    if (!isBelow(text, label) || !leads(text, tool.start)) return [];
    edits.push({ start: label.at.start, end: afterColon(text, label), text: `name: ${name}` });
    const by = columnOf(text, label.at.start) - columnOf(text, tool.start);
    const from = lineEnd(text, label.at.end) + 1;
    return [{ what, at: label.at, edits: [...edits, ...shift(text, from, entryLines(text, label).end, by)] }];
  });
}

/** Moves the actions of an `else` to its `then`. */
export function otherwise(source: RewriteSource): Rewrite[] {
  const { text } = source;
  return writtenRules(source.root).flatMap((rule): Rewrite[] => {
    const elseEntry = entry(rule, 'else');
    if (elseEntry === undefined) return [];
    const what = '`else` → `else.then`';
    if (isNull(elseEntry.value)) {
      const then = entry(rule, 'then');
      if (then === undefined || isFlow(text, rule) || !leads(text, then.at.start)) return [];
      const { start, end } = entryLines(text, then);
      return [{ what, at: elseEntry.at, edits: shift(text, start, end, 2) }];
    }
    const { value } = elseEntry;
    if (value.kind === 'scalar' || (value.kind === 'map' && entry(value, 'then'))) return [];
    if (isFlow(text, value)) {
      const around = [
        { start: value.start, end: value.start, text: '{ then: ' },
        { start: value.end, end: value.end, text: ' }' },
      ];
      return [{ what, at: elseEntry.at, edits: around }];
    }
    if (!leads(text, value.start)) return [];
    const start = lineStart(text, value.start);
    // A list may start in its key's column; a mapping must be indented.
    const column = Math.max(columnOf(text, value.start), columnOf(text, elseEntry.at.start) + 2);
    const by = column + 2 - columnOf(text, value.start);
    const opened = { start, end: start, text: `${' '.repeat(column)}then:${newline(text)}` };
    return [
      { what, at: elseEntry.at, edits: [opened, ...shift(text, start, entryLines(text, elseEntry).end, by)] },
    ];
  });
}

/** Converts a `next` that names its steps directly to a router. */
export function upgradeStructuralNext(source: RewriteSource): Rewrite[] {
  return writtenSteps(source.root).flatMap((step): Rewrite[] => {
    const next = entry(step, 'next');
    if (next === undefined || isNull(next.value) || entry(step, 'case') !== undefined) return [];
    const edits = asRouter(source.text, step, next);
    return edits === undefined ? [] : [{ what: '`next` → `next.arcs`', at: next.at, edits }];
  });
}

function asRouter(text: string, step: MapNode, next: MapEntry): Edit[] | undefined {
  const { value } = next;
  if (value.kind === 'map' && (entry(value, 'arcs') ?? !entry(value, 'step'))) return undefined;
  // Conditional targets are handled by another rule, or not at all.
  const maps = value.kind === 'map' ? [value] : mapsOf(value);
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
