/** Resolved keychain entries in the worker, and the errors of those that do not resolve. */
import { type Json, type JsonObject, type SecretEntry } from '../../../src/language/plan';
import { type CredentialResolver } from '../credentials';
import { type ToolFailure, ToolError } from '../tool/outcome';

/** The value of an entry. Exists only in the memory of a worker. */
export interface ResolvedEntry {
  /** The value of `keychain.<name>`: a mapping. */
  readonly value: JsonObject;
  /** Its strings that must not leave the worker. */
  readonly secrets: readonly string[];
  /** Its origin, for display: a provider, a credential, a host. Never a value. */
  readonly source: string;
  /** Milliseconds since the epoch; absent if it does not expire. */
  readonly expiresAt?: number;
  /** Renewable: requesting it again yields another value (a token). */
  readonly renewable?: true;
  /** Milliseconds since the epoch. */
  readonly resolvedAt: number;
}

/** An entry whose fields contain values instead of handles. */
export interface EntryRequest {
  readonly entry: SecretEntry;
  readonly credentials: CredentialResolver;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @throws ToolError when the entry does not resolve */
export type EntryKind = (request: EntryRequest) => Promise<ResolvedEntry>;

/** An error in the entry itself, not in what it requests. */
export function entryError(
  { name, kind }: Pick<SecretEntry, 'name' | 'kind'>,
  code: string,
  why: string,
  more: Partial<ToolFailure> = {},
): ToolError {
  const message = `keychain entry '${name}' (${kind}): ${why}`;
  return new ToolError({ kind: 'auth', code, ...more, message, entry: name });
}

/** A string field of the entry; a number is accepted. @throws ToolError `KEYCHAIN_ENTRY` for anything else */
export function entryText(entry: SecretEntry, ...names: string[]): string | undefined {
  for (const name of names) {
    const value: Json | undefined = entry.config[name];
    if (value === undefined || value === null || value === '') continue;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw entryError(entry, 'KEYCHAIN_ENTRY', `\`${name}\` must be a string`);
  }
  return undefined;
}
