/**
 * Finds secrets in any encoding a tool may have given them. Both the secrets and the searched text are normalised
 * ("folded"): escapes (URL, HTML, XML, JSON, Python, shell, also nested) are decoded, and characters added by quoting
 * and line breaks are dropped. Matches are replaced at their original position.
 */

import { partsAtCuts, cutMarkParts, type Spelling } from './cut-marks';
import { DECODINGS, GROUPED, ofBytes } from './dumps';

/** A range in a text. */
type Span = readonly [start: number, end: number];
interface Search {
  /** The ranges of all matches, in no particular order; they may overlap. */
  find(text: string): Span[];
  readonly spelling: Spelling;
}

/** Shorter folded texts would match ordinary words. */
const MIN_FOLDED = 6;
/** Levels of nested escapes: JSON in a URL in HTML, plus one. */
const MAX_DEPTH = 4;

/** `%2F`, `%252F`; `&#39;`, `&amp;#39;`; `\x2f`, `\057`; `\u002f`; `\n`, at any depth of backslashes. */
const ESCAPES = [
  /(?:%(?:25)*[0-9a-fA-F]{2})+/,
  /&(?:amp;)*(?:#0*\d{1,7}|#[xX]0*[0-9a-fA-F]{1,6}|quot|apos|lt|gt|amp|nbsp);/,
  /(?:\\+(?:x[0-9a-fA-F]{2}|[0-7]{3}))+/,
  /\\+(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/,
  /\\+[abefnrtv]?/,
];
/** Quoted-printable: a hexadecimal value after a literal `=` can look like it. */
const PRINTABLE = [/(?:=[0-9A-F]{2})+/, /=\r?\n/];
/** Characters added or removed by quoting, joining and line breaks. */
const PADDING = /[\s'"\\+\0]+/;
/** Between and before the digits of `63:61`, `63 61`, `\x63\x61`, `0x63, 0x61`. */
const NO_HEX = /0x|\\+x|\\+u00|[^0-9a-fA-F]+/;

type Rewrite = readonly [pattern: RegExp, by: (token: string) => string, depth: number];

const nothing = (): string => '';
const anyOf = (patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'g');
const padding: Rewrite = [anyOf([PADDING]), nothing, 1];
const folding: readonly Rewrite[] = [[anyOf(ESCAPES), unescaped, MAX_DEPTH], padding];
const foldingPrintable: readonly Rewrite[] = [
  [anyOf([...ESCAPES, ...PRINTABLE]), unescaped, MAX_DEPTH],
  padding,
];
const digits: readonly Rewrite[] = [[anyOf([NO_HEX]), nothing, 1]];

/**
 * Redacts the texts in every encoding. All encodings are searched for in the original text: one match may be half of
 * another, and the characters before a match may look like the start of an escape.
 */
export function replacerOf(texts: readonly string[], by: string): (text: string) => string {
  const forms = [...new Set(texts.flatMap(formsOf))];
  const plain = [...new Set(texts.flatMap(misread))];
  const inHex = texts.flatMap(basesOf).map((base) => Buffer.from(base).toString('hex'));
  const numbers = texts.filter((text) => /^\d+$/.test(text));
  const searches = [
    search(forms, []),
    search(forms, folding),
    search(forms, foldingPrintable, anyOf(PRINTABLE)),
    search([...new Set(inHex)], digits),
    ...DECODINGS.map(({ only, pattern, decode }) => search(plain, [[pattern, decode, 1], padding], only)),
    ...(numbers.length > 0 ? [search(numbers, [[GROUPED, nothing, 1]], GROUPED)] : []),
  ];
  const atCuts = searches.slice(0, 4).map(({ spelling }) => spelling);
  return (text) => {
    const spans = [...searches.flatMap(({ find }) => find(text)), ...partsAtCuts(text, atCuts)].sort(
      ([a], [b]) => a - b,
    );
    let result = '';
    let done = 0;
    spans.forEach(([start, end], index) => {
      if (end <= done) return;
      // Merge adjacent and overlapping matches.
      if (start > done || index === 0) result += text.slice(done, start) + by;
      done = end;
    });
    return result + text.slice(done);
  };
}

/** @param only search only texts that contain this */
function search(forms: readonly string[], rewrites: readonly Rewrite[], only?: RegExp): Search {
  const find = finder(forms, rewrites, only);
  let lower: readonly string[] | undefined;
  let parts: ReadonlySet<string> | undefined;
  const spelling: Spelling = {
    get forms() {
      return (lower ??= [...new Set(forms.map((form) => fold(form, rewrites).toLowerCase()))].filter(
        ({ length }) => length >= MIN_FOLDED,
      ));
    },
    get parts() {
      return (parts ??= cutMarkParts(spelling.forms));
    },
    fold: (text) => fold(text, rewrites),
    trace: (text) => trace(text, rewrites),
  };
  return { find, spelling };
}

function finder(
  forms: readonly string[],
  rewrites: readonly Rewrite[],
  only: RegExp | undefined,
): (text: string) => Span[] {
  const folded = forms.map((form) => fold(form, rewrites)).filter((form) => form.length >= MIN_FOLDED);
  const longestFirst = [...new Set(folded.flatMap(pieces))].sort((a, b) => b.length - a.length);
  const patterns = groups(longestFirst).map((group) => ({
    // A look-ahead, because the next match may begin within this one.
    pattern: new RegExp(`(?=(${group.map(escapeRegExp).join('|')}))`, 'gi'),
    shortest: group.at(-1)!.length,
  }));
  const shortest = longestFirst.at(-1)?.length ?? Infinity;
  return (text) => {
    if (text.length < shortest || (only && text.search(only) < 0)) return [];
    const plain = fold(text, rewrites);
    const hits = patterns.flatMap(({ pattern, shortest }) =>
      plain.length < shortest || plain.search(pattern) < 0 ? [] : [...plain.matchAll(pattern)],
    );
    if (hits.length === 0) return [];
    const { starts, ends } = trace(text, rewrites);
    return hits.map(({ 1: match, index }) => [starts[index]!, ends[index + match!.length - 1]!]);
  };
}

/** V8's limit on pattern length: long patterns are split into pieces, and pieces grouped. */
const LONGEST_PIECE = 512;
const LONGEST_PATTERN = 16_384;

function pieces(form: string): string[] {
  const count = Math.ceil(form.length / LONGEST_PIECE);
  const at = (index: number): number => Math.floor((index * form.length) / count);
  return Array.from({ length: count }, (_, index) => form.slice(at(index), at(index + 1)));
}

function groups(texts: readonly string[]): string[][] {
  const lists: string[][] = [];
  let room = 0;
  for (const text of texts) {
    room -= text.length;
    if (room < 0) {
      lists.push([]);
      room = LONGEST_PATTERN - text.length;
    }
    lists.at(-1)!.push(text);
  }
  return lists;
}

function fold(text: string, rewrites: readonly Rewrite[]): string {
  let folded = text;
  for (const [pattern, by, depth] of rewrites)
    for (let round = 0; round < depth; round++) {
      const before = folded;
      folded = before.replace(pattern, by);
      if (folded === before) break;
    }
  return folded;
}

/** A folded text, and for each of its code units the source range it came from. */
interface Traced {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Like `fold`, but slower. */
function trace(source: string, rewrites: readonly Rewrite[]): Traced {
  let traced: Traced = {
    text: source,
    starts: Array.from({ length: source.length }, (_, index) => index),
    ends: Array.from({ length: source.length }, (_, index) => index + 1),
  };
  for (const [pattern, by, depth] of rewrites)
    for (let round = 0; round < depth; round++) {
      const before = traced;
      traced = traceOnce(before, pattern, by);
      if (traced.text === before.text) break;
    }
  return traced;
}

function traceOnce(before: Traced, pattern: RegExp, by: (token: string) => string): Traced {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = '';
  let done = 0;
  const keep = (until: number): void => {
    text += before.text.slice(done, until);
    for (let at = done; at < until; at++) {
      starts.push(before.starts[at]!);
      ends.push(before.ends[at]!);
    }
  };
  for (const { 0: token, index } of before.text.matchAll(pattern)) {
    keep(index);
    done = index + token.length;
    const piece = by(token);
    text += piece;
    for (let unit = 0; unit < piece.length; unit++) {
      starts.push(before.starts[index]!);
      ends.push(before.ends[done - 1]!);
    }
  }
  keep(before.text.length);
  return { text, starts, ends };
}

/** The decoded value of one or more escapes; empty for whitespace. */
function unescaped(token: string): string {
  if (token.startsWith('&')) return ofEntity(token.replace(/^&(?:amp;)*(?=.)/, '').replace(';', ''));
  const point = /^\\+[uU]([0-9a-fA-F]{4,8})$/.exec(token)?.[1];
  if (point !== undefined) return ofCode(Number.parseInt(point, 16));
  const octets = token.match(/[%=](?:25)*[0-9a-fA-F]{2}(?![0-9a-fA-F])|x[0-9a-fA-F]{2}|[0-7]{3}/g);
  return octets ? ofBytes(octets.map(octetOf)) : '';
}

function octetOf(written: string): number {
  return /^\d{3}$/.test(written)
    ? Number.parseInt(written, 8) & 0xff
    : Number.parseInt(written.slice(-2), 16);
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
};

function ofEntity(name: string): string {
  const number = /^#(?:[xX]([0-9a-fA-F]+)|(\d+))$/.exec(name);
  if (!number) return ENTITIES[name] ?? '';
  return ofCode(number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16));
}

/** A UTF-16 code unit or a code point. */
function ofCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/**
 * Longer texts are searched only verbatim and folded, not encoded: encodings of them are rare and the search is slow.
 */
const LONGEST_ENCODED = 16_384;

/** The text, its mis-decoded forms, and each of these in base64, base64url and hex. */
function formsOf(text: string): string[] {
  return [...new Set([text, ...misread(text), ...basesOf(text).flatMap(encoded)])];
}

/** Bytes mis-decoded as Latin-1, as in HTTP headers; characters split at a chunk boundary or replaced as unknown. */
function misread(text: string): string[] {
  // A font or a file system may compose and decompose letters.
  const composed = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form));
  const cut = text.replace(/[^\x00-\x7f]/gu, (one) => '\ufffd'.repeat(Buffer.byteLength(one)));
  const unknown = text.replace(/[^\x00-\x7f]/gu, '\ufffd');
  return [text, cut, unknown]
    .map((each) => Buffer.from(each).toString('latin1'))
    .concat(cut, unknown, composed);
}

/** What gets encoded: the text, or JSON containing the text, as written by JavaScript and Python. */
function basesOf(text: string): string[] {
  if (text.length > LONGEST_ENCODED) return [];
  const inJson = JSON.stringify(text).slice(1, -1);
  const inAscii = inJson.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [...new Set([text, inJson, inAscii])];
}

function encoded(text: string): string[] {
  const bytes = Buffer.from(text);
  const inBase64 = base64Cores(bytes);
  return [
    ...inBase64,
    ...inBase64.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
  ];
}

/**
 * The part of the base64 encoding that is independent of what surrounds the value (`user:` in basic auth): for each of
 * the three alignments, the digits that depend only on the value; and the value alone, to its end.
 */
function base64Cores(bytes: Buffer): string[] {
  const cores = [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return digits.slice(from, to);
  });
  const whole = bytes.toString('base64');
  return [whole, whole.replace(/=+$/, ''), ...cores];
}

function escapeRegExp(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
