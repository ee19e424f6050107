/** The style of a scalar, which determines how its characters map to the text. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'block';

/**
 * Offsets in `text` of every character of a scalar's value, plus one for its end. The value is aligned with its
 * source text: indentation, folded line breaks, doubled quotes and escapes are skipped.
 *
 * @param start first character of the content (after an opening quote or a block header line)
 * @param end end of the content
 */
export function alignOffsets(
  text: string,
  start: number,
  end: number,
  style: ScalarStyle,
  value: string,
): Uint32Array {
  const offsets = new Uint32Array(value.length + 1);
  const indent = style === 'block' ? blockIndent(text, start, end) : 0;
  let at = style === 'block' ? skipIndent(text, start, indent) : start;
  for (let i = 0; i < value.length; i += 1) {
    const char = value[i]!;
    at = seek(text, at, end, style, char, indent);
    offsets[i] = Math.min(at, end);
    if (at >= end) continue;
    const step = width(text, at, style);
    at += step.text;
    if (step.value === 2 && i + 1 < value.length) {
      i += 1;
      offsets[i] = offsets[i - 1]!;
    }
    if (style === 'block' && isBreak(text, at - 1)) at = skipIndent(text, at, indent);
  }
  offsets[value.length] = Math.min(at, end);
  return offsets;
}

/** Advances to the position of `wanted` in the text, skipping what folding has dropped. */
function seek(
  text: string,
  from: number,
  end: number,
  style: ScalarStyle,
  expected: string,
  indent: number,
): number {
  const blank = expected === ' ' || expected === '\n';
  let at = from;
  while (at < end) {
    const char = text[at]!;
    if (style === 'double' && char === '\\') {
      if (!isBreak(text, at + 1)) return at;
      at += breakWidth(text, at + 1) + 1;
      while (text[at] === ' ' || text[at] === '\t') at += 1;
      continue;
    }
    if (char === expected) return at;
    if (isBreak(text, at)) {
      if (blank) return at;
      at += breakWidth(text, at);
      if (style === 'block') at = skipIndent(text, at, indent);
    } else if (char === ' ' || char === '\t') {
      at += 1;
    } else {
      return at;
    }
  }
  return end;
}

/** Length of the character at `at`, in the text and in the value. */
function width(text: string, at: number, style: ScalarStyle): { text: number; value: number } {
  if (isBreak(text, at)) return { text: breakWidth(text, at), value: 1 };
  if (style === 'single' && text[at] === "'" && text[at + 1] === "'") return { text: 2, value: 1 };
  if (style === 'double' && text[at] === '\\') {
    const digits = { x: 2, u: 4, U: 8 }[text[at + 1] ?? ''] ?? 0;
    const astral = digits === 8 && parseInt(text.slice(at + 2, at + 10), 16) > 0xffff;
    return { text: 2 + digits, value: astral ? 2 : 1 };
  }
  return { text: 1, value: 1 };
}

function isBreak(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r';
}

function breakWidth(text: string, at: number): number {
  return text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
}

/** The indentation of a block scalar: that of its first line with content (or less, with an indicator). */
function blockIndent(text: string, start: number, end: number): number {
  const header = text.slice(text.lastIndexOf('\n', start - 2) + 1, start);
  const lines = text.slice(start, end).split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '');
  const indent = first === undefined ? 0 : /^ */.exec(first)![0].length;
  const indicator = /[|>][+-]?([1-9])/.exec(header)?.[1];
  if (indicator === undefined) return indent;
  const parent = /^(?: |- )*/.exec(header)![0].length;
  return Math.min(indent, parent + Number(indicator));
}

function skipIndent(text: string, at: number, indent: number): number {
  let skipped = 0;
  while (skipped < indent && text[at + skipped] === ' ') skipped += 1;
  return at + skipped;
}
