/**
 * Redacts secrets from everything that leaves a worker: outcomes, heartbeats, log lines. A secret is found regardless
 * of case and encoding (spellings.ts); each line of a multi-line secret is redacted too.
 */
import { isMapping } from '../../../src/language/plan';
import { MIN_LENGTH, privateTexts } from './secret-texts';
import { ofBytes } from './dumps';
import { replacerOf } from './spellings';

const MASK = '[redacted]';

export interface Redactor {
  /** Adds secrets to redact from now on. */
  add(values: Iterable<string>): void;
  /** Whether there is a secret to hide. */
  readonly isNeeded: boolean;
  text(value: string): string;
  /** A copy with every string (including keys) and number redacted; the same object when there is nothing to redact. */
  json<T>(value: T): T;
}

export function redactor(): Redactor {
  const secrets = new Set<string>();
  let replace: ((text: string) => string) | undefined;
  const text = (value: string): string => {
    if (value.length < MIN_LENGTH || secrets.size === 0) return value;
    replace ??= replacerOf([...secrets], MASK);
    return replace(value);
  };
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return ofNumber(value);
    if (Array.isArray(value)) return isHiddenIn(value) ? MASK : value.map(json);
    if (!isMapping(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), json(item)]));
  };
  /** Bytes as a list of numbers (Node's Buffer, Python's list(b'…')). */
  const isHiddenIn = (value: readonly unknown[]): boolean =>
    value.length >= MIN_LENGTH && value.every(isByte) && text(ofBytes(value)) !== ofBytes(value);
  const ofNumber = (value: number): number | string => {
    const written = String(value);
    const hidden = text(written);
    return hidden === written ? value : hidden;
  };
  return {
    add(values) {
      for (const part of [...values].flatMap(partsOf)) {
        if (part.length < MIN_LENGTH || secrets.has(part)) continue;
        secrets.add(part);
        replace = undefined;
      }
    },
    get isNeeded() {
      return secrets.size > 0;
    },
    text,
    json: <T>(value: T): T => (secrets.size > 0 ? (json(value) as T) : value),
  };
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;
}

/** `-----BEGIN PRIVATE KEY-----` reveals nothing about the key. */
const FRAME = /^-----[A-Z0-9 ]+-----$/;

/** The secret, its parts if it is JSON, otherwise its lines; a number also as JSON writes it (no leading zeros). */
function partsOf(secret: string): string[] {
  return [...new Set([secret, ...privateTexts(secret)])].flatMap((text) => {
    if (/^-?\d+(\.\d+)?$/.test(text)) return [text, String(Number(text))];
    if (!text.includes('\n') || /^\s*[[{]/.test(text)) return [text];
    const lines = text.split('\n').map((line) => line.trim());
    return [text, ...lines.filter((line) => !FRAME.test(line))];
  });
}
