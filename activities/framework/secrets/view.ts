/**
 * A secret with several fields, as seen by templates: a mapping, or its single value where a string is expected. Exists
 * in the worker, for the duration of an evaluation.
 */
import {
  declarationOf,
  handleOf,
  isMapping,
  type Json,
  type JsonObject,
  type Secrets,
  soleValue,
  valuesOf,
} from '../../../src/language/plan';
import { lookup, toText, View } from '../../../src/language/template/runtime';
import { ToolError } from '../tool/outcome';

export interface SecretFields {
  /** For display: `keychain entry 'api'`. */
  readonly what: string;
  /** How to refer to a field, up to its name. */
  readonly path: string;
  /** The form in which it is passed on. */
  readonly whole: JsonObject;
  /** The fields that are values, unless all of them are. */
  readonly fields?: JsonObject;
  /** The value, if it is known regardless of other fields. */
  readonly value?: Json;
}

export class SecretView extends View {
  constructor(
    private readonly kind: string,
    private readonly secret: SecretFields,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { what, path, whole } = this.secret;
    const part = lookup(whole, key);
    if (!isMapping(part)) return part;
    const inner = { what: `'${key}' of ${what}`, path: `${path}${key}.`, whole: part as JsonObject };
    return new SecretView(this.kind, inner);
  }

  plain(): JsonObject {
    return this.secret.whole;
  }

  /** @throws ToolError `SECRET_FIELDS`, naming the fields */
  override text(): string {
    const { what, path, whole, fields = whole, value = soleValue(fields) } = this.secret;
    if (isMapping(value)) return new SecretView(this.kind, { what, path, whole: value as JsonObject }).text();
    if (value !== undefined) return toText(value);
    const names = valuesOf(fields);
    const message =
      names.length === 0
        ? `${this.kind}: ${what} has no value`
        : `${this.kind}: ${what} has several values, but one is needed here: write ${names.map((name) => `${path}${name}`).join(' or ')}`;
    throw new ToolError({ kind: 'validation', code: 'SECRET_FIELDS', message });
  }
}

/** The result of a task of kind `secrets`, recognised by its handle. */
export function isSecretResult(value: Json, secrets: Secrets): value is JsonObject & { fields: JsonObject } {
  if (!isMapping(value) || typeof value['provider'] !== 'string' || typeof value['secret'] !== 'string')
    return false;
  const handle = handleOf(value['value']);
  return handle !== undefined && Object.hasOwn(secrets, handle.id) && isMapping(value['fields']);
}

/** Whether a string is expected at a place in the fields, at most two keys deep. */
export type IsText = (place: readonly string[]) => boolean;

/** Fields of `auth` that are not the alias of a credential (`auth: {pg: …}`). */
const OF_AUTH = /token|key|value|pass|secret|user|login|header|name/i;

/** Where a tool of this kind expects a string; elsewhere a secret with several fields is a mapping. */
export function textOfTool(kind: string): IsText {
  const ofTexts: ReadonlySet<string> = new Set(['headers', 'env', ...(declarationOf(kind)?.texts ?? [])]);
  return ([field = '', key]) => {
    if (key === undefined) return field === 'url' || field === 'endpoint';
    return isAuth(field) ? OF_AUTH.test(key) : ofTexts.has(field);
  };
}

/** Where a keychain entry expects a string; nowhere in a `static` one. */
export function textOfEntry(kind: string): IsText {
  return ([field = '']) => kind !== 'static' && !isAuth(field);
}

function isAuth(field: string): boolean {
  return field === 'auth' || field === 'credential';
}
