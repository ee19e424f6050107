/** Secret inputs of a playbook (`secret: true` in `metadata.workload`), at any depth. */
import { EACH_ITEM } from './inputs';
import { isMapping, type Json, type JsonObject } from './json';
import { type Plan } from './plan';
import { handleOf } from './secret';

/** A path within a payload. */
type InputPlace = readonly string[];

/** Paths of secret inputs whose values are in the payload in plain text. */
export function plainSecretInputs(
  plan: Pick<Plan, 'secretInputs' | 'secretPaths'>,
  payload: JsonObject,
): InputPlace[] {
  const paths = [...(plan.secretInputs ?? []).map((name) => [name]), ...(plan.secretPaths ?? [])];
  return paths.flatMap((path) => plainAt(payload, path, []));
}

/** `db.password`, `tokens[0]`. */
export function shownPlace(place: InputPlace): string {
  return place.reduce((shown, key) => (/^\d+$/.test(key) ? `${shown}[${key}]` : `${shown}.${key}`));
}

function plainAt(value: Json, path: readonly string[], at: InputPlace): InputPlace[] {
  if (handleOf(value)) return [];
  const [key, ...rest] = path;
  if (key === undefined) return value === null || value === '' ? [] : [at];
  if (key === EACH_ITEM)
    return Array.isArray(value)
      ? value.flatMap((item: Json, index) => plainAt(item, rest, [...at, String(index)]))
      : [];
  return isMapping(value) && Object.hasOwn(value, key)
    ? plainAt((value as JsonObject)[key]!, rest, [...at, key])
    : [];
}

/** Copies the payload with another value at an existing path; the rest is shared. */
export function withValueAt(value: Json, [key, ...rest]: InputPlace, other: Json): Json {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((item: Json, index) => (String(index) === key ? withValueAt(item, rest, other) : item));
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === key ? withValueAt(inner, rest, other) : inner]),
  );
}

/** The value at an existing path. */
export function inputAt(value: Json, place: InputPlace): Json {
  return place.reduce<Json>((inner, key) => (inner as JsonObject)[key]!, value);
}

const SECRET_KEY = /(^|[._-])(password|passwd|secret|token|api_?key|private_?key|passphrase|client_secret)$/i;

/** Whether a name, or the last of a path, says that its value is secret. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}
