import { type Meter } from '../values/meter';
import { characters } from '../values/sequence';

const letter = String.raw`[\p{L}_]`;
const wordOrMark = String.raw`[\p{L}\p{N}_!"'&.,?]`;
/**
 * Where a line may be broken, as in Python's textwrap: chunks are whitespace, dashes, words and parts of hyphenated
 * words.
 */
const chunks = new RegExp(
  String.raw`\s+` +
    String.raw`|(?<=${wordOrMark})-{2,}(?=[\p{L}\p{N}_])` +
    String.raw`|\S+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})` +
    String.raw`|(?=\s|$)|(?<=${wordOrMark})(?=-{2,}[\p{L}\p{N}_]))`,
  'gu',
);

/** Breaks one line into lines of at most `width` characters, as Python's `textwrap.wrap` does. */
export function wrap(
  line: string,
  width: number,
  breakLongWords: boolean,
  breakOnHyphens: boolean,
  meter: Meter,
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
    const { wrappedLine, wrappedChunk, wrappedChunkChar } = meter.prices;
    meter.charge(
      wrappedLine + wrappedChunk * current.length + wrappedChunkChar * (pending.at(-1)?.length ?? 0),
    );
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

/** A word longer than a line is split at the remaining space, or put on its own line. */
function breakLong(
  pending: string[],
  current: string[],
  space: number,
  breakLongWords: boolean,
  breakOnHyphens: boolean,
): void {
  if (breakLongWords) {
    const chunk = characters(pending.pop()!);
    // Without remaining space nothing is split off, and the preceding blank is kept, as in Python.
    let end = space;
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
