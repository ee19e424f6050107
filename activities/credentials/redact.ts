/**
 * Keeps secrets out of what leaves a worker: outcomes, heartbeats, log lines. Only values under a key that names a
 * secret count, of 8 characters and more (shorter ones would redact ordinary words), and not one that the same
 * credential also uses in the open (a password equal to the user name protects nothing).
 */
import { isMapping, type Json } from '../../src/plan';

const SECRET_KEY =
  /pass(word|wd|phrase)?$|^pwd$|secret|token|api_?key|private_?key|^key$|^value$|^dsn$|^url$|authorization|signature/i;
const MIN_LENGTH = 8;
export const MASK = '[redacted]';

/** The secret values in a credential's data or an inline `auth`. */
export function secretsOf(data: Json): string[] {
  const secrets = new Set<string>();
  const open = new Set<string>();
  collect(data, false, secrets, open);
  for (const value of open) secrets.delete(value);
  return [...secrets].filter((value) => value.length >= MIN_LENGTH);
}

function collect(value: Json, secret: boolean, secrets: Set<string>, open: Set<string>): void {
  if (typeof value === 'string') {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) collectUrl(value, secret, secrets);
    else (secret ? secrets : open).add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, secret, secrets, open);
  } else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value)) {
      collect(item as Json, secret || SECRET_KEY.test(key), secrets, open);
    }
  }
}

/** Of a URL only the password is secret: host and path are needed in messages. */
function collectUrl(text: string, secret: boolean, secrets: Set<string>): void {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@:]*:([^/@]*)@/i.exec(text)?.[1];
  if (!password) return;
  if (secret) secrets.add(text);
  secrets.add(password);
  try {
    secrets.add(decodeURIComponent(password));
  } catch {
    // Not percent-encoded: the raw form is the secret.
  }
}

export interface Redactor {
  /** More secrets to hide from now on. */
  add(values: Iterable<string>): void;
  text(value: string): string;
  /** A copy with every string (keys too) redacted; the same object when there is nothing to hide. */
  json<T>(value: T): T;
}

export function redactor(): Redactor {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;
  const text = (value: string): string => (pattern ? value.replace(pattern, MASK) : value);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isMapping(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), json(item)]));
  };
  return {
    add(values) {
      for (const value of values) for (const form of formsOf(value)) forms.add(form);
      const longestFirst = [...forms].sort((a, b) => b.length - a.length);
      if (longestFirst.length) pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
    },
    text,
    json: <T>(value: T): T => (pattern ? (json(value) as T) : value),
  };
}

/** The value as it is, in base64, URL-encoded and JSON-escaped. */
function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64');
  return [
    value,
    base64,
    base64.replace(/=+$/, ''),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ];
}

function escapeRegExp(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
