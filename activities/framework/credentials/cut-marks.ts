/**
 * What is left of a secret where a text was cut. Tools cut texts before they are redacted; they leave a mark there
 * (tool/bounded.ts), and beside a mark even a part of a secret is hidden.
 */

/** A range in a text. */
type Span = readonly [start: number, end: number];

/** The marks, with the line breaks that belong to them. */
const MARK = /\n?\[… \d+ bytes of output dropped …\]\n|\n?\[…\]\n|…/g;
/** The first and the last marks of a text: cuts are at its ends or in its middle, other marks are the text's own. */
const MAX_MARKS = 32;
/** The shortest part of a secret that is hidden, in characters. */
const MIN_PART = 6;
/** The longest escape sequence that a cut may have divided. */
const LONGEST_ESCAPE = 10;
const MAX_WINDOW = 16_384;
/** Holds `MIN_PART` characters, however they are escaped. */
const GLANCE = 160;

/** Texts that are searched for, and how a text is made comparable with them. */
export interface Spelling {
  /** Lower-case, folded. */
  readonly forms: readonly string[];
  /** All parts of the forms that have `MIN_PART` characters: most texts have none of them beside a mark. */
  readonly parts: ReadonlySet<string>;
  fold(text: string): string;
  /** For each character of the folded text, where it begins and ends in the text. */
  trace(text: string): { readonly starts: readonly number[]; readonly ends: readonly number[] };
}

/** The parts of secrets beside the marks of a text. */
export function partsAtCuts(text: string, spellings: readonly Spelling[]): Span[] {
  if (!text.includes('…')) return [];
  const marks = [...text.matchAll(MARK)].map(({ 0: mark, index }): Span => [index, index + mark.length]);
  const some =
    marks.length > 2 * MAX_MARKS ? [...marks.slice(0, MAX_MARKS), ...marks.slice(-MAX_MARKS)] : marks;
  return some.flatMap(([start, end], at) => {
    const from = some[at - 1]?.[1] ?? 0;
    const to = some[at + 1]?.[0] ?? text.length;
    return spellings.flatMap((spelling) => [
      ...(start > from ? endOf(text, from, start, spelling) : []),
      ...(to > end ? beginningOf(text, end, to, spelling) : []),
    ]);
  });
}

export function cutMarkParts(forms: readonly string[]): Set<string> {
  const parts = new Set<string>();
  for (const form of forms)
    for (let at = 0; at + MIN_PART <= form.length; at++) parts.add(form.slice(at, at + MIN_PART));
  return parts;
}

function windowOf({ forms }: Spelling): number {
  return Math.min(MAX_WINDOW, 8 * Math.max(0, ...forms.map(({ length }) => length)));
}

/** A text before a mark whose end is the beginning of a secret, or within one. */
function endOf(text: string, from: number, end: number, spelling: Spelling): Span[] {
  const begin = Math.max(from, end - windowOf(spelling));
  if (begin === from && from > 0 && isWithin(text.slice(from, end), spelling)) return [[from, end]];
  for (let dropped = 0; dropped <= LONGEST_ESCAPE && end - dropped > begin; dropped++) {
    const piece = text.slice(begin, end - dropped);
    if (!spelling.parts.has(spelling.fold(piece.slice(-GLANCE)).slice(-MIN_PART).toLowerCase())) continue;
    const folded = spelling.fold(piece).toLowerCase();
    const length = longest(spelling.forms, (form) => endPart(form, folded));
    if (length > 0) return [[begin + spelling.trace(piece).starts[folded.length - length]!, end]];
  }
  return [];
}

/** A text after a mark whose beginning is the end of a secret. */
function beginningOf(text: string, start: number, to: number, spelling: Spelling): Span[] {
  const stop = Math.min(to, start + windowOf(spelling));
  for (let dropped = 0; dropped <= LONGEST_ESCAPE && start + dropped < stop; dropped++) {
    const piece = text.slice(start + dropped, stop);
    if (!spelling.parts.has(spelling.fold(piece.slice(0, GLANCE)).slice(0, MIN_PART).toLowerCase())) continue;
    const folded = spelling.fold(piece).toLowerCase();
    const length = longest(spelling.forms, (form) => beginningPart(form, folded));
    if (length > 0) return [[start, start + dropped + spelling.trace(piece).ends[length - 1]!]];
  }
  return [];
}

function longest(forms: readonly string[], lengthIn: (form: string) => number): number {
  let most = 0;
  for (const form of forms) most = Math.max(most, lengthIn(form));
  return most;
}

/** Whether a text that was cut at both ends is the middle of a secret, but for divided escapes at its ends. */
function isWithin(piece: string, spelling: Spelling): boolean {
  for (let first = 0; first <= LONGEST_ESCAPE; first++)
    for (let last = 0; last <= LONGEST_ESCAPE; last++) {
      const folded = spelling.fold(piece.slice(first, piece.length - last)).toLowerCase();
      if (folded.length < MIN_PART) break;
      if (!spelling.parts.has(folded.slice(0, MIN_PART))) continue;
      if (spelling.forms.some((form) => form.includes(folded))) return true;
    }
  return false;
}

function endPart(form: string, text: string): number {
  if (text.length < MIN_PART) return 0;
  const last = text.slice(-MIN_PART);
  for (let at = form.lastIndexOf(last); at >= 0; at = at === 0 ? -1 : form.lastIndexOf(last, at - 1)) {
    const length = at + MIN_PART;
    if (length <= text.length && text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}

function beginningPart(form: string, text: string): number {
  if (text.length < MIN_PART) return 0;
  const first = text.slice(0, MIN_PART);
  for (let at = form.indexOf(first); at >= 0; at = form.indexOf(first, at + 1)) {
    const length = form.length - at;
    if (length <= text.length && text.startsWith(form.slice(at))) return length;
  }
  return 0;
}
