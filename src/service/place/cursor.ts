/** What is being written at the cursor: a key, a value, or a part of an expression. */
import { CURSOR, type OutlineNode } from '../text/node';
import { type TextOf } from './expected';
import { pathAt, type PathTo } from './path';

export interface CursorPlace {
  readonly kind: 'key' | 'value' | 'expression';
  /** The word at the cursor: what a proposal replaces. */
  readonly from: number;
  readonly to: number;
  readonly typed: string;
  readonly path: PathTo;
  /** The outline of the text as it would be with a word at the cursor. */
  readonly root: OutlineNode;
  /** The text of that outline. */
  readonly text: string;
  /** Of an expression: what stands before the word, from its opening braces; for a bare condition from its start. */
  readonly before?: string;
  /** The key has a colon already, or the value stands in quotes. */
  readonly isWhole: boolean;
}

/** How the text is read. */
export interface CursorReading {
  readonly kinds: TextOf['kinds'];
  readonly outline: (text: string) => OutlineNode;
}

const WORD_BEFORE = /[\w.\-/]*$/;
const WORD_AFTER = /^[\w\-/]*/;
const BLOCK_KEY = /^\s*(?:- +)*$/;

/** Where the cursor is, whatever is wrong with its line; undefined in comments and program code. */
export function cursorPlace(given: string, offset: number, reading: CursorReading): CursorPlace | undefined {
  const opening = openBraces(given, offset);
  if (opening !== undefined) return inExpression(given, { offset, opening }, reading);
  const before = given.slice(given.lastIndexOf('\n', offset - 1) + 1, offset);
  if (/(^|\s)#[^"']*$/.test(before)) return undefined;
  const typed = WORD_BEFORE.exec(before)?.[0] ?? '';
  const from = offset - typed.length;
  const to = offset + (WORD_AFTER.exec(given.slice(offset))?.[0].length ?? 0);
  const [line = ''] = given.slice(to).split('\n', 1);
  const word = wordAt(before.slice(0, before.length - typed.length), line);
  const text = given.slice(0, from) + word + given.slice(to);
  const root = reading.outline(text);
  const path = pathAt(root, from + 1, { text, kinds: reading.kinds });
  return placed({ from, to, typed, path, root, text }, word === CURSOR && /^\s*:(\s|$)/.test(line));
}

/** What stands for the word at the cursor: a key, unless a value stands there. What is behind it in the line is no part of it. */
function wordAt(before: string, line: string): string {
  if (!BLOCK_KEY.test(before) || /^\s*:(\s|$)/.test(line)) return CURSOR;
  return `${CURSOR}:${/^\s*\S/.test(line) ? ' ' : ''}`;
}

function placed(place: Omit<CursorPlace, 'kind' | 'isWhole'>, hasColon: boolean): CursorPlace | undefined {
  const { path, text } = place;
  const last = path.parts.at(-1)?.at;
  if (path.isKey && typeof last === 'object' && last.key.includes(CURSOR))
    return { ...place, kind: 'key', isWhole: hasColon };
  const { kind, style, start, end } = path.node;
  if (kind !== 'scalar' || style === 'block') return undefined;
  const isQuoted = style === 'single' || style === 'double';
  // In a text the cursor is not the only word.
  return text.slice(start, end).indexOf(CURSOR) === (isQuoted ? 1 : 0)
    ? { ...place, kind: 'value', isWhole: isQuoted }
    : undefined;
}

/** Where the expression around the offset begins; undefined outside of one. */
function openBraces(text: string, offset: number): number | undefined {
  const window = text.slice(Math.max(0, offset - 4000), offset);
  const open = Math.max(window.lastIndexOf('{{'), window.lastIndexOf('{%'));
  const close = Math.max(window.lastIndexOf('}}'), window.lastIndexOf('%}'));
  if (open < 0 || close > open) return undefined;
  return offset - window.length + open;
}

function inExpression(
  text: string,
  { offset, opening }: { readonly offset: number; readonly opening: number },
  reading: CursorReading,
): CursorPlace | undefined {
  const root = reading.outline(text);
  const path = pathAt(root, opening, { text, kinds: reading.kinds });
  if (path.isKey || path.node.kind !== 'scalar') return undefined;
  // The braces of a line above, which were never closed.
  if (offset > path.node.end && text.slice(path.node.end, offset).includes('\n')) return undefined;
  const inside = text.slice(opening + 2, offset).replace(/^[-+]/, '');
  const typed = /\w*$/.exec(inside)?.[0] ?? '';
  const to = offset + (/^\w*/.exec(text.slice(offset))?.[0].length ?? 0);
  return {
    kind: 'expression',
    from: offset - typed.length,
    to,
    typed,
    path,
    root,
    text,
    before: inside.slice(0, inside.length - typed.length),
    isWhole: true,
  };
}
