/**
 * Which texts of a credential are secret: values under a key that names a secret, of 8 characters and more (shorter ones
 * would redact ordinary words), and not one that the same credential also uses in the open (a password equal to the user
 * name protects nothing).
 */
import { isMapping, type Json } from '../../../src/plan';

const SECRET_KEY =
  /pass(word|wd|phrase)?$|^pwd$|secret|token|api_?key|private_?key|^key$|^value$|^dsn$|^url$|authorization|signature/i;
/** Characters of the shortest secret that is searched for. */
export const MIN_LENGTH = 8;

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
  const texts = new Set<string>();
  const take = (part: Json): void => {
    if (typeof part === 'string' || typeof part === 'number') {
      texts.add(String(part));
      // A text may be JSON with the texts in it that are then used.
      const inner = typeof part === 'string' && /^\s*[[{]/.test(part) ? parsed(part) : undefined;
      if (inner !== undefined) take(inner);
    } else if (Array.isArray(part)) part.forEach(take);
    else if (isMapping(part)) {
      for (const [key, item] of Object.entries(part)) {
        if (!OPEN_KEY.test(key) || isMapping(item)) take(item as Json);
        else collectUrl(String(item), false, texts);
      }
    }
  };
  take(value);
  for (const text of [...texts]) collectUrl(text, true, texts);
  return [...texts].filter((text) => text.length >= MIN_LENGTH);
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
  } else if (typeof value === 'number') {
    (secret ? secrets : open).add(String(value));
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
