/**
 * The one parser of JSON that comes from outside: bodies, payloads, responses, columns, files. JavaScript's own turns
 * 9007199254740993 into 9007199254740992, and 1e400 into nothing.
 */
import { losesDigits, numberOf } from '../template/values/digits';
import { type Json } from './json';

/** What JavaScript's parser may change contains one of these: nothing else is looked at twice. */
const LONG = /\d{16}|[\d.]{17}|\d[eE][-+]?\d{3}/;
const NUMBER = /-?\d[\d.eE+-]*/;

export interface JsonRead {
  readonly value: Json;
  /** The first decimal of which a double does not keep all digits. */
  readonly rounded?: string;
}

/**
 * Parses JSON as `JSON.parse` does, except that integers beyond 2^53 become text.
 *
 * @throws SyntaxError; NumberTooLarge for `1e400`
 */
export function readJson(text: string): JsonRead {
  const value = JSON.parse(text) as Json;
  if (!LONG.test(text)) return { value };
  let rounded: string | undefined;
  const exact = outsideOfStrings(text, NUMBER, (literal) => {
    const kept = numberOf(literal);
    if (typeof kept === 'string') return `"${kept}"`;
    if (rounded === undefined && literal.length > 5 && losesDigits(literal)) rounded = literal;
    return literal;
  });
  const read = exact === text ? value : (JSON.parse(exact) as Json);
  return rounded === undefined ? { value: read } : { value: read, rounded };
}

/** What `rounded` means, for people. */
export function digitsLost(literal: string): string {
  return `the decimal ${literal.slice(0, 40)} loses digits: it is read as ${Number(literal)}; as text it keeps them`;
}

/** Called with a decimal of which a double does not keep all digits. */
export type DigitsLost = (literal: string) => void;

/** The value that `readJson` reads. @throws as `readJson` */
export function parseJson(text: string, digitsLost?: DigitsLost): Json {
  const { value, rounded } = readJson(text);
  if (rounded !== undefined) digitsLost?.(rounded);
  return value;
}

/** Parses JSON that may be something else. @throws NumberTooLarge */
export function jsonOr<T>(text: string, otherwise: T, digitsLost?: DigitsLost): Json | T {
  try {
    return parseJson(text, digitsLost);
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise;
    throw error;
  }
}

/** Like `parseJson`; null for invalid JSON. */
export function jsonOrNull(text: string, digitsLost?: DigitsLost): Json {
  return jsonOr(text, null, digitsLost);
}

/**
 * Replaces matches of `pattern` outside JSON strings. A loop, because a string may be too long for a regular
 * expression.
 */
export function outsideOfStrings(text: string, pattern: RegExp, replace: (match: string) => string): string {
  const next = new RegExp(`"|${pattern.source}`, 'g');
  const parts: string[] = [];
  let from = 0;
  for (let match = next.exec(text); match; match = next.exec(text)) {
    const [token] = match;
    if (token === '"') {
      next.lastIndex = stringEnd(text, match.index + 1);
      continue;
    }
    const instead = replace(token);
    if (instead === token) continue;
    parts.push(text.slice(from, match.index), instead);
    from = next.lastIndex;
  }
  return parts.join('') + text.slice(from);
}

/** Whether a JSON text has more brackets open at some place. */
export function nestsDeeper(text: string, levels: number): boolean {
  if (text.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = stringEnd(text, at + 1) - 1;
    else if (char === OPEN_LIST || char === OPEN_MAPPING) {
      if (++depth > levels) return true;
    } else if (char === CLOSE_LIST || char === CLOSE_MAPPING) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const [OPEN_LIST, CLOSE_LIST, OPEN_MAPPING, CLOSE_MAPPING] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The index after the closing quote of the string whose first character is at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
