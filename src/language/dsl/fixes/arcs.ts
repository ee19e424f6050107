import { ROOTS, ROOTS_AT } from '../../plan';
import { hasTemplateSyntax, parseTemplate, references } from '../../template';
import { asMap, asText, child, entriesOf, type MapEntry, scalarsIn, type YamlNode } from '../yaml/node';
import { applyEdits, columnOf, contentEnd, lineEnd, lineStart, newline, prefixedKey, shift } from './text';

/** An entry to be moved, and the prefix for its own entries. */
export interface ArcPart {
  readonly entry: MapEntry;
  readonly prefix: string;
}

/** A transition: the condition of its rule, and its target. */
export interface ArcWay {
  /** The end of the comments above it. */
  readonly start: number;
  /** The condition as in the text, or a new one. */
  readonly when?: MapEntry | string;
  /** Entries of the arc; `step` first. */
  readonly parts: readonly ArcPart[];
  /** A target given only by name. */
  readonly name?: string;
}

/**
 * The lines of a router that replaces a block, with the block's comments in place.
 *
 * @param several whether all matching arcs are taken, not only the first
 */
export function routerText(text: string, block: MapEntry, ways: readonly ArcWay[], several: boolean): string {
  const eol = newline(text);
  const indent = ' '.repeat(columnOf(text, block.at.start));
  const end = lineEnd(text, contentEnd(text, block));
  const remarks = remarksIn(text, block, end);
  const lines = [`${indent}next:`];
  if (several) lines.push(`${indent}  spec:`, `${indent}    mode: inclusive`);
  lines.push(`${indent}  arcs:`);
  let from = block.at.end;
  ways.forEach((way, i) => {
    const first = way.start >= from;
    if (
      first &&
      i > 0 &&
      /\n[ \t\r]*\n/.test(text.slice(lineBefore(text, remarksAbove(text, way.start)), way.start))
    )
      lines.push('');
    const next = ways[i + 1]?.start ?? end;
    const until = block.at.end < next && next < end ? remarksAbove(text, next) : end;
    if (first)
      for (const each of remarks)
        if (each.at >= from && each.at < until) lines.push(`${indent}    ${each.text}`);
    from = Math.max(from, Math.min(until, end));
    lines.push(
      ...arc(text, way, indent.length + 6).map((line, n) => `${indent}    ${n === 0 ? '- ' : '  '}${line}`),
    );
  });
  return lines.join(eol) + eol;
}

/** The start of the comment lines directly above an offset. */
function remarksAbove(text: string, offset: number): number {
  let start = lineStart(text, offset);
  while (start > 0) {
    const above = lineStart(text, start - 1);
    if (!/^\s*(#.*)?\s*$/.test(text.slice(above, start))) break;
    start = above;
  }
  return start;
}

/** From the last non-whitespace character, so that a blank line above a rule is detected. */
function lineBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return text.slice(0, start).trimEnd().length;
}

/** The lines of an arc, without dash and indentation. */
function arc(text: string, way: ArcWay, column: number): string[] {
  const [first, ...rest] = way.parts;
  const head = way.name === undefined ? copied(text, first!, column) : [`step: ${way.name}`];
  const others = way.name === undefined ? rest : way.parts;
  const when =
    typeof way.when === 'string'
      ? [`when: ${way.when}`]
      : way.when === undefined
        ? []
        : copied(text, { entry: way.when, prefix: '' }, column);
  return [...head, ...when, ...others.flatMap((part) => copied(text, part, column))];
}

/** The lines of an entry, moved to the column, without that indentation. */
export function copied(text: string, part: ArcPart, column: number): string[] {
  const { start } = part.entry.at;
  const end = contentEnd(text, part.entry);
  const keys = entriesOf(part.entry.value).flatMap((each) => prefixedKey(text, each, part.prefix));
  const moved = shift(text, text.indexOf('\n', start) + 1 || end, end, column - columnOf(text, start));
  const edits = [...keys, ...moved].map((each) => ({
    ...each,
    start: each.start - start,
    end: each.end - start,
  }));
  const lines = applyEdits(text.slice(start, end), edits).split(/\r?\n/);
  return lines.map((line, i) => (i === 0 ? line : line.slice(Math.min(column, /^ */.exec(line)![0].length))));
}

/** The comments of a block, wherever they are in it. */
export function remarksIn(text: string, block: MapEntry, end: number): { at: number; text: string }[] {
  const scalars = scalarsIn(block.value);
  return [...text.slice(block.at.end, end).matchAll(/(?<=\s)#.*$/gm)].flatMap((match) => {
    const at = block.at.end + match.index;
    const inside = scalars.some((node) => node.start <= at && at < node.end);
    return inside ? [] : [{ at, text: match[0].trimEnd() }];
  });
}

/** Whether every name in the templates is available in arcs too: `result` is only available in `case`. */
export function speaksOfArcs(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.every(speaksOfArcs);
  if (node.kind === 'map') return node.entries.every(({ value }) => speaksOfArcs(value));
  if (typeof node.value !== 'string' || !hasTemplateSyntax(node.value)) return true;
  try {
    const roots = references(parseTemplate(node.value)).filter(({ kind }) => kind === 'name');
    return roots.every(({ root }) => ROOTS_AT.arc.has(root) || !ROOTS.has(root));
  } catch {
    return false;
  }
}

/**
 * The ways to what a name, `{step: …}` or a list of them names; undefined if there is none, or one says more.
 *
 * @param keys of targets
 * @param more entries of each arc
 */
export function waysTo(
  node: YamlNode,
  keys: ReadonlySet<string>,
  way: Pick<ArcWay, 'start' | 'when'>,
  more: readonly ArcPart[] = [],
): ArcWay[] | undefined {
  const ways = (node.kind === 'list' ? node.items : [node]).flatMap((item): ArcWay[] => {
    const name = asText(item);
    if (name !== undefined) return name.trim() === '' ? [] : [{ ...way, parts: more, name }];
    const own = entriesOf(item);
    if (asText(child(asMap(item), 'step')) === undefined || !own.every(({ key }) => keys.has(key))) return [];
    const sorted = [...own].sort((a, b) => Number(b.key === 'step') - Number(a.key === 'step'));
    return [{ ...way, parts: [...sorted.map((entry) => ({ entry, prefix: '' })), ...more] }];
  });
  return ways.length > 0 && ways.length === (node.kind === 'list' ? node.items.length : 1) ? ways : undefined;
}
