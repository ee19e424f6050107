import { asMap, entry, type Entry, type MapNode } from '../../yaml/node';
import { type Rewrite, type Source } from '../rewrite';
import {
  afterColon,
  applyEdits,
  columnOf,
  contentEnd,
  type Edit,
  isBelow,
  isFlow,
  leads,
  lineEnd,
  lineStart,
  newline,
  prefixedKey,
  removal,
  shift,
} from '../text';
import { actionsOf, arcsOf, stepsOf, toolsOf } from '../walk';
import { rename } from './words';

/** Old keys that write, with the prefix of `set` that says the same; in the order in which they are done. */
const WRITERS = { vars: 'ctx.', set_ctx: 'ctx.', set_iter: 'iter.', set: '' } as const;
const ARC_WRITERS = { with: '', args: '', input: '', ...WRITERS } as const;

/** Names that mean a scope in `set`, and not an input of that name. */
const SCOPES = /^(ctx|vars|iter|step|workload|keychain|event|outcome|output|token|execution_id|job)$|[.{]/;

/** `vars`, `set_ctx` and `set_iter` become one `set`; at arcs, inputs of the token too. */
export function writes(source: Source): Rewrite[] {
  const { root } = source;
  const plain = [...toolsOf(root).map(({ tool }) => tool), ...actionsOf(root)];
  return [
    ...stepsOf(root).flatMap((step) => merge(source, step, WRITERS)),
    ...plain.flatMap((map) => merge(source, map, { set_ctx: 'ctx.', set_iter: 'iter.', set: '' })),
    ...arcsOf(root).flatMap((arc) => merge(source, arc, ARC_WRITERS)),
  ];
}

interface Part {
  readonly entry: Entry;
  readonly map: MapNode;
  readonly prefix: string;
}

function merge(source: Source, map: MapNode, writers: Readonly<Record<string, string>>): Rewrite[] {
  const found = Object.entries(writers).flatMap(([key, prefix]): Part[] => {
    const each = entry(map, key);
    const inner = asMap(each?.value);
    return each === undefined || inner === undefined ? [] : [{ entry: each, map: inner, prefix }];
  });
  const [only] = found;
  if (only === undefined || (found.length === 1 && only.entry.key === 'set')) return [];
  const inputs = found.filter((part) => part.prefix === '' && part.entry.key !== 'set');
  if (inputs.length > 1 || inputs.some((part) => part.map.entries.some(({ key }) => SCOPES.test(key))))
    return [];
  if (repeats(found)) return [];
  const what = `${found.map((part) => `\`${part.entry.key}\``).join(', ')} → \`set\``;
  const at = found[0]!.entry.at;
  if (found.length === 1) {
    const keys = only.map.entries.flatMap((each) => prefixedKey(source.text, each, only.prefix));
    return [{ what, at, edits: [rename(only.entry, 'set'), ...keys] }];
  }
  const edits = joined(source.text, map, found);
  return edits === undefined ? [] : [{ what, at, edits }];
}

/** Two parts write one thing: which of them wins is for the author to say. */
function repeats(parts: readonly Part[]): boolean {
  const keys = parts.flatMap((part) =>
    part.map.entries.map(({ key }) => (key.startsWith(part.prefix) ? key : part.prefix + key)),
  );
  return new Set(keys).size < keys.length;
}

/** The parts as one `set`, where the first of them stands. */
function joined(text: string, map: MapNode, parts: readonly Part[]): Edit[] | undefined {
  const [first, ...others] = [...parts].sort((a, b) => a.entry.at.start - b.entry.at.start) as [
    Part,
    ...Part[],
  ];
  const gone = others.map((part) => removal(text, map, part.entry));
  if (gone.some((edits) => edits === undefined)) return undefined;
  const flow = parts.map((part) => isFlow(text, part.map));
  const body = flow.every(Boolean)
    ? `set: { ${parts
        .map((part) => flowBody(text, part))
        .filter(Boolean)
        .join(', ')} }`
    : flow.every((each) => !each)
      ? blockBody(text, first, parts)
      : undefined;
  if (body === undefined) return undefined;
  const start = first.entry.at.start;
  return [{ start, end: contentEnd(text, first.entry), text: body }, ...gone.flatMap((edits) => edits!)];
}

function flowBody(text: string, part: Part): string {
  const edits = part.map.entries.flatMap((each) => prefixedKey(text, each, part.prefix));
  const { start, end } = part.map;
  return cut(text, start + 1, end - 1, edits)
    .trim()
    .replace(/,$/, '');
}

/** The entries of block mappings below each other, at the indentation of the first. */
function blockBody(text: string, first: Part, parts: readonly Part[]): string | undefined {
  if (!parts.every((part) => isBelow(text, part.entry) && leads(text, part.map.start))) return undefined;
  const column = columnOf(text, first.map.start);
  const bodies = parts.map((part) => {
    const from = lineStart(text, part.map.start);
    const to = lineEnd(text, contentEnd(text, part.entry));
    const keys = part.map.entries.flatMap((each) => prefixedKey(text, each, part.prefix));
    return cut(text, from, to, [...shift(text, from, to, column - columnOf(text, part.map.start)), ...keys]);
  });
  const remarks = text.slice(afterColon(text, first.entry), lineStart(text, first.map.start)).trimEnd();
  return [`set:${remarks}`, ...bodies].join(newline(text));
}

function cut(text: string, from: number, to: number, edits: readonly Edit[]): string {
  const moved = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
  return applyEdits(text.slice(from, to), moved);
}
