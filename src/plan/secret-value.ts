/** Which of the fields of a secret is its value, where one text is wanted. */
import { isMapping, type Json, type JsonObject } from './json';

/** What tells of a secret, or how it travels, and is none of its values. */
const ABOUT =
  /^(type|kind|provider|source|name|version|description|desc|scopes?|token_type|ttl|auto_renew|((ext_)?expir(es|y|ation)|issued|created|updated)(_?(in|at|on))?|header|header_name|in|location|prefix|scheme)$/i;

/** The fields of a secret that are values of it. */
export function valueNames(fields: readonly string[]): string[] {
  return fields.filter((field) => !ABOUT.test(field));
}

/** The one value among the fields of a secret; undefined where there is none, or more than one. */
export function soleValue(fields: JsonObject): Json | undefined {
  const names = distinct(fields);
  return names.length === 1 ? fields[names[0]!] : undefined;
}

/** What can be asked for instead, where there are several. */
export function valuesOf(fields: JsonObject): string[] {
  return valueNames(Object.keys(fields)).filter((name) => fields[name] !== null && fields[name] !== '');
}

/** Without second names of a token, and without the text that the others were read from. */
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
