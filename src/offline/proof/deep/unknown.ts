/**
 * Symbolic values, each standing for any value. The engine carries them as strings, like other data, so code that only
 * passes values along needs no knowledge of them.
 */
import { type Json } from '../../../language/plan';
import { type Expr } from '../../../language/template/ir';
import { plainValue, View } from '../../../language/template/runtime';

/** A symbolic value: a root, such as `fetch/get.page`, and values computed from it. */
export interface Unknown {
  /** A path below an answer, an event or the workload. */
  readonly of: string;
  /** The only values that it can have, if it is declared so. */
  readonly in?: readonly Json[];
  /** Computed from it: an expression over the name `$`. */
  readonly by?: Expr;
}

const MARK = '\u0001';
/** Longer derivations would grow with every round of a cycle; they are replaced by symbolic values without a derivation. */
const MAX_TEXT = 600;

/** No facts are kept about it: each condition on it may go either way. */
export const ANY: Unknown = { of: '?' };

export function unknown(value: Unknown): string {
  const text = MARK + JSON.stringify(value);
  return text.length > MAX_TEXT ? MARK + JSON.stringify(ANY) : text;
}

/** The unknown value that this is; undefined for a known value, and for one that only contains unknown ones. */
export function unknownIn(value: unknown): Unknown | undefined {
  const text = value instanceof View ? value.plain() : value;
  if (typeof text !== 'string' || !text.includes(MARK)) return undefined;
  if (!text.startsWith(MARK)) return ANY;
  try {
    return JSON.parse(text.slice(1)) as Unknown;
  } catch {
    return ANY;
  }
}

/** Whether it is unknown, or contains something unknown. */
export function hasUnknown(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MARK);
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof View) return hasUnknown(plainValue(value));
  return Object.values(value).some(hasUnknown);
}

/** Whether facts about it are kept. */
export function isNamed({ of }: Unknown): boolean {
  return !of.startsWith('?');
}

/** The same data, with every leaf unknown under its path. */
export function unknownLike(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unknown({ of: path });
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, below]) => [key, unknownLike(below, `${path}.${key}`)]));
}
