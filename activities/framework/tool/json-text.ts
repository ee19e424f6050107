/** Parses external JSON without rounding: JavaScript's parser turns 9007199254740993 into 9007199254740992. */
import { type Json } from '../../../src/plan';

/**
 * Whole numbers beyond 2^53 become strings, like those from databases; everything else is parsed as by `JSON.parse`.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (!/\d{16}/.test(text)) return value;
  const exact = outsideOfStrings(text, /-?\d[\d.eE+-]*/, (number) =>
    /^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number)) ? `"${number}"` : number,
  );
  return exact === text ? value : (JSON.parse(exact) as Json);
}

/** Parses JSON that may be something else. */
export function jsonOr<T>(text: string, otherwise: T): Json | T {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return otherwise;
  }
}

/**
 * Replaces matches of `pattern` outside JSON strings. A loop, because a string may be too long for a regular
 * expression.
 */
export function outsideOfStrings(text: string, pattern: RegExp, replace: (match: string) => string): string {
  const next = new RegExp(`"|${pattern.source}`, 'g');
  let result = '';
  let from = 0;
  for (let match = next.exec(text); match; match = next.exec(text)) {
    const [token] = match;
    if (token === '"') {
      next.lastIndex = stringEnd(text, match.index + 1);
      continue;
    }
    const instead = replace(token);
    if (instead === token) continue;
    result += text.slice(from, match.index) + instead;
    from = next.lastIndex;
  }
  return result + text.slice(from);
}

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

/** Like `parseJson`; null for invalid JSON. */
export function jsonOrNull(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
