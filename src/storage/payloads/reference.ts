/**
 * The reference behind a value stored outside history. When the store's driver fetches a payload it records its origin
 * in the metadata, and the converter attaches that to the decoded value. It derives only from the claim in history and
 * the stored bytes, so a replay yields the same.
 */
import { isMapping, type Json, type JsonObject } from '../../language/plan/json';

/** See docs/design/results.md#references. */
export interface ValueReference {
  /** `file`, `postgres`, `s3://bucket`, `gs://bucket`; `history` for a body stored only in history. */
  readonly store: string;
  readonly key: string;
  /** Path within the stored object; null for all of it. */
  readonly range: string | null;
  /** Size of the value as JSON, in bytes. */
  readonly size: number;
  /** `sha256:<hex>` of the stored object. */
  readonly checksum: string;
  readonly schema_hint: Json;
}

/** Key in a payload's metadata: `store`, `key` and `checksum` of its origin, as JSON. */
export const FETCHED_FROM = 'noetl-fetched-from';

/** The driver's information about a stored payload. */
export type ReferenceOrigin = Pick<ValueReference, 'store' | 'key' | 'checksum'>;

const references = new WeakMap<object, ValueReference>();

/** The reference of a decoded value; undefined for one stored inline. */
export function valueReferenceOf(value: unknown): ValueReference | undefined {
  return typeof value === 'object' && value !== null ? references.get(value) : undefined;
}

/** Attaches a reference to a value that is, or is part of, the stored object. */
export function tieReference(value: unknown, reference: ValueReference): void {
  if (typeof value === 'object' && value !== null) references.set(value, reference);
}

/** Records the origin of a decoded value. */
export function remember(value: unknown, origin: ReferenceOrigin, size: number): void {
  const { store, key, checksum } = origin;
  tieReference(value, { store, key, range: null, size, checksum, schema_hint: null });
}

const MAX_HINT_KEYS = 20;

/**
 * The outline of a value: its type, the keys of a mapping (at most 20), the length of a list and the outline of its
 * first item. Enough to choose a consumer without fetching the body.
 */
export function schemaHint(value: Json | undefined): JsonObject {
  if (Array.isArray(value)) {
    const items: JsonObject = value.length > 0 ? { items: itemHint(value[0]!) } : {};
    return { type: 'array', length: value.length, ...items };
  }
  return itemHint(value);
}

function itemHint(value: Json | undefined): JsonObject {
  if (Array.isArray(value)) return { type: 'array', length: value.length };
  if (isMapping(value)) return { type: 'object', keys: Object.keys(value).slice(0, MAX_HINT_KEYS) };
  return { type: value === null || value === undefined ? 'null' : typeof value };
}
