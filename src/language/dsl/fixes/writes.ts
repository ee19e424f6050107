import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';
import {
  afterColon,
  applyEdits,
  columnOf,
  contentEnd,
  isBelow,
  isFlow,
  leads,
  lineEnd,
  lineStart,
  newline,
  prefixedKey,
  remarkBehind,
  removal,
  shift,
} from './text';
import { rename } from './words';

/** Keys of writes, with the equivalent prefix in `set`; in execution order. Inputs of arcs come before them. */
const WRITERS: Readonly<Record<string, string>> = {
  ...{ with: '', args: '', input: '' },
  ...{ vars: 'ctx.', set_ctx: 'ctx.', set_iter: 'iter.', set: '' },
};

/** Names of scopes in `set`, which are not inputs. */
const SCOPES = /^(ctx|vars|iter|step|workload|keychain|event|outcome|output|token|execution_id|job)$|[.{]/;

/** Older keys of writes become one `set`: in arcs, inputs of the token too. */
export function writesAs(keys: readonly string[], key = 'vars'): Remedy {
  return {
    what: `${keys.map((each) => `\`${each}\``).join(', ')} → \`set\``,
    hint:
      WRITERS[key] === '' ? 'join it with the entries of `set`' : `write \`set: {${WRITERS[key]}name: …}\``,
    edits: (site) => merge(site, keys),
  };
}

interface Part {
  readonly entry: MapEntry;
  readonly map: MapNode;
  readonly prefix: string;
}

function merge({ text, path: [here] }: FixSite, keys: readonly string[]): readonly Edit[] | undefined {
  const map = here?.map;
  const parts = Object.entries(WRITERS).flatMap(([key, prefix]): Part[] => {
    const each = keys.includes(key) || key === 'set' ? entry(map, key) : undefined;
    const inner = asMap(each?.value);
    return each === undefined || inner === undefined ? [] : [{ entry: each, map: inner, prefix }];
  });
  const [only] = parts;
  if (map === undefined || only === undefined || (parts.length === 1 && only.entry.key === 'set'))
    return undefined;
  const inputs = parts.filter((part) => part.prefix === '' && part.entry.key !== 'set');
  if (inputs.length > 1 || inputs.some((part) => part.map.entries.some(({ key }) => SCOPES.test(key))))
    return undefined;
  if (repeats(parts)) return undefined;
  if (parts.length > 1) return joined(text, map, parts);
  if (entry(map, 'set') !== undefined) return undefined;
  const prefixed = only.map.entries.flatMap((each) => prefixedKey(text, each, only.prefix));
  return [rename(only.entry, 'set'), ...prefixed];
}

/** Two parts write the same target: the author must decide which takes precedence. */
function repeats(parts: readonly Part[]): boolean {
  const keys = parts.flatMap((part) =>
    part.map.entries.map(({ key }) => (key.startsWith(part.prefix) ? key : part.prefix + key)),
  );
  return new Set(keys).size < keys.length;
}

/** The parts as one `set`, at the position of the first. */
function joined(text: string, map: MapNode, parts: readonly Part[]): Edit[] | undefined {
  const [first, ...others] = [...parts].sort((a, b) => a.entry.at.start - b.entry.at.start) as [
    Part,
    ...Part[],
  ];
  const deletions = others.map((part) => removal(text, map, part.entry));
  if (deletions.some((edits) => edits === undefined)) return undefined;
  const line = !isFlow(text, map);
  const flow = parts.every((part) => isFlow(text, part.map));
  const remarked = line && others.some((part) => remarkBehind(text, part.entry) !== '');
  const body = flow && !remarked ? flowBody(text, parts) : line ? blockBody(text, first, parts) : undefined;
  if (body === undefined) return undefined;
  const end = contentEnd(text, first.entry);
  const moved = flow && !remarked ? end : end + remarkBehind(text, first.entry).length;
  return [{ start: first.entry.at.start, end: moved, text: body }, ...deletions.flatMap((edits) => edits!)];
}

function flowBody(text: string, parts: readonly Part[]): string {
  const bodies = parts.map((part) => {
    const edits = part.map.entries.flatMap((each) => prefixedKey(text, each, part.prefix));
    return cut(text, part.map.start + 1, part.map.end - 1, edits)
      .trim()
      .replace(/,$/, '');
  });
  return `set: { ${bodies.filter(Boolean).join(', ')} }`;
}

/** The entries of all parts, at the indentation of the first. */
function blockBody(text: string, first: Part, parts: readonly Part[]): string | undefined {
  const column = isFlow(text, first.map)
    ? columnOf(text, first.entry.at.start) + 2
    : columnOf(text, first.map.start);
  const bodies = parts.map((part) => linesOfPart(text, part, column));
  if (bodies.some((lines) => lines === undefined)) return undefined;
  return ['set:', ...bodies.flatMap((lines) => lines!)].join(newline(text));
}

/** The entries of a part with its comments, moved to a column; undefined if it is neither a block nor one line. */
function linesOfPart(text: string, part: Part, column: number): string[] | undefined {
  const indent = ' '.repeat(column);
  const keys = part.map.entries.flatMap((each) => prefixedKey(text, each, part.prefix));
  if (isFlow(text, part.map)) {
    if (text.slice(part.map.start, part.map.end).includes('\n')) return undefined;
    const lines = part.map.entries.map((each) => {
      const own = keys.filter((edit) => edit.start >= each.at.start && edit.end <= each.at.end);
      return indent + cut(text, each.at.start, contentEnd(text, each), own);
    });
    const last = lines.length - 1;
    return lines.map((line, i) => (i === last ? line + remarkBehind(text, part.entry) : line));
  }
  if (!isBelow(text, part.entry) || !leads(text, part.map.start)) return undefined;
  const from = lineStart(text, part.map.start);
  const to = lineEnd(text, contentEnd(text, part.entry));
  const head = text.slice(afterColon(text, part.entry), from).split(/\r?\n/);
  const remarks = head.flatMap((line) => (line.trim() === '' ? [] : [indent + line.trim()]));
  const moved = shift(text, from, to, column - columnOf(text, part.map.start));
  return [...remarks, cut(text, from, to, [...moved, ...keys])];
}

function cut(text: string, from: number, to: number, edits: readonly Edit[]): string {
  const moved = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
  return applyEdits(text.slice(from, to), moved);
}
