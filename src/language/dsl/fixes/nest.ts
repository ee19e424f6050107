import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';
import { type Edit } from '../diagnostics/diagnostic';
import { columnOf, contentEnd, isFlow, lineEnd, newline, remarkBehind } from './text';
import { copied } from './arcs';

/**
 * The edit that adds lines, starting with a key, to the mapping at a path of keys, creating missing ones; undefined
 * if the key exists, or a mapping is in brackets.
 *
 * @param removedEntry an entry of `map` that is removed, after which nothing can be added
 */
export function nestedText(
  text: string,
  map: MapNode,
  path: readonly string[],
  lines: readonly string[],
  removedEntry?: MapEntry,
): Edit | undefined {
  const key = /^\w+/.exec(lines[0]!)?.[0] ?? '';
  if (isFlow(text, map) || entry(map, key) !== undefined) return undefined;
  const [first, ...rest] = path;
  const there = first === undefined ? undefined : entry(map, first);
  if (there !== undefined) {
    const inner = asMap(there.value);
    return inner && nestedText(text, inner, rest, lines, removedEntry);
  }
  // The last entry may be the removed one: then new lines follow the entry before it.
  const home = map.entries.filter((each) => each !== removedEntry);
  const last = home.at(-1);
  if (last === undefined) return undefined;
  const end = lineEnd(text, contentEnd(text, last));
  const indent = ' '.repeat(columnOf(text, home[0]!.at.start));
  const head = path.map((each, i) => `${'  '.repeat(i)}${each}:`);
  const all = [...head, ...lines.map((line) => (line === '' ? '' : '  '.repeat(head.length) + line))];
  const added = all.map((line) => newline(text) + (line === '' ? '' : indent + line)).join('');
  return { start: end, end, text: added };
}

/** The lines of an entry without indentation, with the comment after its last line. */
export function carried(text: string, moved: MapEntry, key = moved.key): string[] {
  const lines = copied(text, { entry: moved, prefix: '' }, columnOf(text, moved.at.start));
  const name = text.slice(moved.at.start, moved.at.end);
  const last = lines.length - 1;
  return lines.map((line, i) => {
    const named = i === 0 && key !== moved.key ? key + line.slice(name.length) : line;
    return i === last ? named + remarkBehind(text, moved) : named;
  });
}
