import { characters } from '../values/sequence';

/** Where a line may be broken: Python's textwrap, whose chunks are words, spaces, and the parts of hyphenated words. */
const chunks =
  /\s+|(?<=[\w!"'&.,?])-{2,}(?=\w)|[^\s]*?(?:-(?:(?<=[^\d\W_]{2}-)|(?<=[^\d\W_]-[^\d\W_]-))(?=[^\d\W_]-?[^\d\W_])|(?=\s|$)|(?<=[\w!"'&.,?])(?=-{2,}\w))/gu;

/** Breaks one line into lines of at most `width` characters, as Python's `textwrap.wrap` does. */
export function wrap(
  line: string,
  width: number,
  breakLongWords: boolean,
  breakOnHyphens: boolean,
): string[] {
  const pattern = breakOnHyphens ? chunks : /\s+|\S+/g;
  const pending = (line.match(pattern) ?? []).filter((chunk) => chunk !== '').reverse();
  const lines: string[] = [];
  while (pending.length > 0) {
    const current: string[] = [];
    let used = 0;
    if (lines.length > 0 && pending.at(-1)!.trim() === '') pending.pop();
    while (pending.length > 0 && used + sizeOf(pending.at(-1)!) <= width) {
      used += sizeOf(pending.at(-1)!);
      current.push(pending.pop()!);
    }
    if (pending.length > 0 && sizeOf(pending.at(-1)!) > width) {
      breakLong(pending, current, width - used, breakLongWords, breakOnHyphens);
    }
    if (current.length > 0 && current.at(-1)!.trim() === '') current.pop();
    if (current.length > 0) lines.push(current.join(''));
  }
  return lines;
}

function sizeOf(text: string): number {
  return characters(text).length;
}

/** A word longer than a line is cut to what is left of it; or stands on a line of its own. */
function breakLong(
  pending: string[],
  current: string[],
  space: number,
  breakLongWords: boolean,
  breakOnHyphens: boolean,
): void {
  if (breakLongWords) {
    const chunk = characters(pending.pop()!);
    let end = Math.max(1, space);
    const hyphen = chunk.slice(0, end).lastIndexOf('-');
    if (breakOnHyphens && chunk.length > end && hyphen > 0 && chunk.slice(0, hyphen).some((c) => c !== '-')) {
      end = hyphen + 1;
    }
    current.push(chunk.slice(0, end).join(''));
    const rest = chunk.slice(end).join('');
    if (rest !== '') pending.push(rest);
  } else if (current.length === 0) {
    current.push(pending.pop()!);
  }
}
