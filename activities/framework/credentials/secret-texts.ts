/**
 * Determines which strings in a credential are secret: values under keys that denote a secret, of at least 8 characters
 * (shorter ones would redact ordinary words), unless the credential also contains them as a public value (a password
 * equal to the user name protects nothing).
 */
import { isMapping, type Json } from '../../../src/language/plan';
import { jsonOr } from '../../../src/language/plan/json-text';

const SECRET_KEY =
  /pass(word|wd|phrase)?$|^pwd$|secret|token|api_?key|private_?key|^key$|^value$|^dsn$|^url$|authorization|signature/i;
/** Minimum length of a secret that is searched for. */
export const MIN_LENGTH = 8;

/** The secret values in a credential's data or an inline `auth`. */
export function secretsOf(data: Json): string[] {
  const secrets = new Set<string>();
  const open = new Set<string>();
  collect(data, false, secrets, open);
  for (const value of open) secrets.delete(value);
  return [...secrets].filter((value) => value.length >= MIN_LENGTH);
}

/** Public fields of a credential: where a service is, who connects, and for what. */
const OPEN_KEY =
  /^((db_|sf_)?(host|hostname|port|user|username|name|database|schema|account|warehouse|role)|dbname|login|type|kind|region|endpoint|address|project|project_id|bucket|scheme|prefix|header|header_name|in|location|scopes?|token_type|expires_(in|at|on)|ext_expires_in|audience|issuer|method|ssl|sslmode|sslrootcert|sslcert|client_id|client_email|auth_uri|token_ur[il]|auth_provider_x509_cert_url|client_x509_cert_url|universe_domain|namespace|mount|kv_version|version|driver|instance_url)$/i;

/**
 * The strings of a value that is secret as a whole, of at least 8 characters: everything except public fields. Numbers
 * count: a PIN is one.
 */
export function privateTexts(value: Json): string[] {
  const texts = new Set<string>();
  const take = (part: Json): void => {
    if (typeof part === 'string' || typeof part === 'number') {
      texts.add(String(part));
      // A string may be JSON that contains the strings actually used.
      const inner = typeof part === 'string' && /^\s*[[{]/.test(part) ? jsonOr(part, undefined) : undefined;
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

/** Only the password of a URL is secret: host and path are needed in messages. */
function collectUrl(text: string, secret: boolean, secrets: Set<string>): void {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@:]*:([^/@]*)@/i.exec(text)?.[1];
  if (!password) return;
  if (secret) secrets.add(text);
  secrets.add(password);
  try {
    secrets.add(decodeURIComponent(password));
  } catch {
    // Without percent-encoding, the raw form is the secret.
  }
}
