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

/** What a credential says in the open: where a service is, who asks, and what for. */
const OPEN_KEY =
  /^((db_|sf_)?(host|hostname|port|user|username|name|database|schema|account|warehouse|role)|dbname|login|type|kind|region|endpoint|address|project|project_id|bucket|scheme|prefix|header|header_name|in|location|scopes?|token_type|expires_(in|at|on)|ext_expires_in|audience|issuer|method|ssl|sslmode|sslrootcert|sslcert|client_id|client_email|auth_uri|token_ur[il]|auth_provider_x509_cert_url|client_x509_cert_url|universe_domain|namespace|mount|kv_version|version|driver|instance_url)$/i;

/**
 * The texts of a value that is secret as a whole, of 8 characters and more: everything but what stands under a key of
 * the open part of a credential. Numbers count: a PIN is one.
 */
export function privateTexts(value: Json): string[] {
  const found = new Set<string>();
  const take = (part: Json): void => {
    if (typeof part === 'string' || typeof part === 'number') {
      found.add(String(part));
      // A text may be JSON with the texts in it that are then used.
      const inner = typeof part === 'string' && /^\s*[[{]/.test(part) ? parsed(part) : undefined;
      if (inner !== undefined) take(inner);
    } else if (Array.isArray(part)) part.forEach(take);
    else if (isMapping(part)) {
      for (const [key, item] of Object.entries(part)) {
        if (!OPEN_KEY.test(key) || isMapping(item)) take(item as Json);
        else collectUrl(String(item), false, found);
      }
    }
  };
  take(value);
  for (const text of [...found]) collectUrl(text, true, found);
  return [...found].filter((text) => text.length >= MIN_LENGTH);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
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
      for (const value of values)
        if (value.length >= MIN_LENGTH) for (const form of formsOf(value)) forms.add(form);
      const longestFirst = [...forms].sort((a, b) => b.length - a.length);
      if (longestFirst.length) pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
    },
    text,
    json: <T>(value: T): T => (pattern ? (json(value) as T) : value),
  };
}

/** The value as it is and as JSON; each in base64 and base64url, URL-encoded and as hex too: an entry is sent as JSON. */
function formsOf(value: string): string[] {
  const inJson = escaped(value);
  return [...new Set([value, inJson, inAscii(inJson)])].flatMap(encoded).concat(escaped(inJson));
}

function encoded(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const inBase64 = base64Cores(bytes);
  return [
    text,
    ...inBase64,
    ...inBase64.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
    ...urlForms(text),
    hex,
    hex.toUpperCase(),
  ];
}

/** As Python writes JSON. */
function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Every writer of URLs leaves other characters as they are. */
function urlForms(value: string): string[] {
  const wellFormed = Buffer.from(value).toString(); // half a character cannot stand in a URL
  const encoded = encodeURIComponent(wellFormed);
  const strict = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [
    encoded,
    // Python and Jinja's `urlencode`, for paths and for queries.
    strict,
    strict.replaceAll('%2F', '/'),
    encodeURI(wellFormed),
    // As forms write it: a blank is a plus.
    new URLSearchParams({ v: value }).toString().slice(2),
  ];
  return [...forms, ...forms.map((form) => form.replace(/%../g, (octet) => octet.toLowerCase()))];
}

/** As it stands in a JSON text. */
function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/**
 * What is the same in base64 whatever stands before and after the value (`user:` in basic auth): of each of the three
 * ways that bytes fall into groups, the digits that depend on the value alone; and the value on its own, to its end.
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
