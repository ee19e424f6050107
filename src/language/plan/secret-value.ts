/** Which field of a secret is its value when a single string is needed. */
import { isMapping, type Json, type JsonObject } from './json';

/** Fields that describe a secret or its transport, and are not values. */
const ABOUT =
  /^(type|kind|provider|source|name|version|description|desc|scopes?|token_type|ttl|auto_renew|((ext_)?expir(es|y|ation)|issued|created|updated)(_?(in|at|on))?|header|header_name|in|location|prefix|scheme)$/i;

/** The fields of a secret that are values. */
export function valueNames(fields: readonly string[]): string[] {
  return fields.filter((field) => !ABOUT.test(field));
}

/** The only value among a secret's fields; undefined if there is none or more than one. */
export function soleValue(fields: JsonObject): Json | undefined {
  const names = distinct(fields);
  return names.length === 1 ? fields[names[0]!] : undefined;
}

/** The fields that can be requested instead when there are several. */
export function valuesOf(fields: JsonObject): string[] {
  return valueNames(Object.keys(fields)).filter((name) => fields[name] !== null && fields[name] !== '');
}

/** Without aliases of a token, and without the raw text the other fields were parsed from. */
function distinct(fields: JsonObject): string[] {
  const { token } = fields;
  return valuesOf(fields).filter(
    (name, _, names) =>
      !(name !== 'token' && token !== undefined && fields[name] === token) &&
      !(name === 'value' && names.length > 1 && isJsonMapping(fields[name]!)),
  );
}

function isJsonMapping(value: Json): boolean {
  try {
    return typeof value === 'string' && isMapping(JSON.parse(value));
  } catch {
    return false;
  }
}
