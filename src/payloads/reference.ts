/**
 * The reference behind a value that was stored outside history. The store's driver writes where a payload came from
 * into its metadata when it fetches it; the converter ties that to the decoded value. What it says derives from the
 * claim in history and the stored bytes alone, so a replay sees the same.
 */
import { isMapping, type Json, type JsonObject } from '../plan/json';

/** docs/design/results.md#references. */
export interface Reference {
  /** `file`, `postgres`, `s3://bucket`, `gs://bucket`; `history` for a body that only history holds. */
  readonly store: string;
  readonly key: string;
  /** Part of the stored object; null for all of it. */
  readonly range: string | null;
  /** Bytes of the value as JSON. */
  readonly size: number;
  /** `sha256:<hex>` of the stored object. */
  readonly checksum: string;
  readonly schema_hint: Json;
}

/** Key of a payload's metadata: `store`, `key` and `checksum` of where it was fetched from, as JSON. */
export const FETCHED_FROM = 'noetl-fetched-from';

/** What the driver knows of a stored payload. */
export type Origin = Pick<Reference, 'store' | 'key' | 'checksum'>;

const references = new WeakMap<object, Reference>();

/** The reference of a decoded value; undefined for one that travelled inline. */
export function referenceOf(value: unknown): Reference | undefined {
  return typeof value === 'object' && value !== null ? references.get(value) : undefined;
}

/** Ties a reference to a value that is, or is a part of, what was stored. */
export function tieReference(value: unknown, reference: Reference): void {
  if (typeof value === 'object' && value !== null) references.set(value, reference);
}

/** Remembers where a decoded value came from. */
export function remember(value: unknown, origin: Origin, size: number): void {
  const { store, key, checksum } = origin;
  tieReference(value, { store, key, range: null, size, checksum, schema_hint: null });
}

const MAX_HINT_KEYS = 20;

/**
 * The outline of a value: its type, the keys of a mapping (20 at most), the length of a list and the outline of its
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
