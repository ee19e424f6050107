import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';
import { type Edit } from '../diagnostics/diagnostic';
import { columnOf, contentEnd, isFlow, lineEnd, newline, remarkBehind } from './text';
import { copied } from './arcs';

/**
 * The edit that adds lines, starting with a key, to the mapping at a path of keys, creating missing ones; undefined
 * if the key exists, or several lines would have to go into brackets.
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
  const [first, ...rest] = path;
  const there = first === undefined ? undefined : entry(map, first);
  if (entry(map, key) !== undefined) return undefined;
  if (isFlow(text, map) && there === undefined) return inBrackets(text, map, path, lines);
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

function inBrackets(
  text: string,
  map: MapNode,
  path: readonly string[],
  lines: readonly string[],
): Edit | undefined {
  const last = map.entries.at(-1);
  if (last === undefined || lines.length > 1) return undefined;
  const end = contentEnd(text, last);
  const opened = path.map((key) => `${key}: { `).join('');
  return { start: end, end, text: `, ${opened}${lines[0]!}${' }'.repeat(path.length)}` };
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
