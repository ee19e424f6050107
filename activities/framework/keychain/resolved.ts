/** What an entry of the keychain comes to in the worker, and the errors of those that do not resolve. */
import { type Json, type JsonObject, type SecretEntry } from '../../../src/plan';
import { type CredentialResolver } from '../credentials';
import { type Failure, ToolError } from '../tool/outcome';

/** The value of an entry. Lives in the memory of a worker, and nowhere else. */
export interface ResolvedEntry {
  /** What `keychain.<name>` is: a mapping. */
  readonly value: JsonObject;
  /** The texts in it that must not leave the worker. */
  readonly secrets: readonly string[];
  /** Where it came from, for people: a provider, a credential, a host. Never a value. */
  readonly source: string;
  /** Milliseconds since the epoch; absent for what does not expire. */
  readonly expiresAt?: number;
  /** Can be asked for again, with another answer: a token. */
  readonly renewable?: true;
  /** Milliseconds since the epoch. */
  readonly resolvedAt: number;
}

/** An entry with values in place of the handles of its fields. */
export interface EntryRequest {
  readonly entry: SecretEntry;
  readonly credentials: CredentialResolver;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @throws ToolError where the entry does not resolve */
export type EntryKind = (request: EntryRequest) => Promise<ResolvedEntry>;

/** An error of the entry, not of what it asks. */
export function entryError(
  { name, kind }: Pick<SecretEntry, 'name' | 'kind'>,
  code: string,
  why: string,
  more: Partial<Failure> = {},
): ToolError {
  const message = `keychain entry '${name}' (${kind}): ${why}`;
  return new ToolError({ kind: 'auth', code, ...more, message, entry: name });
}

/** A field of the entry that is text; a number counts. @throws ToolError `KEYCHAIN_ENTRY` for anything else */
export function textOf(entry: SecretEntry, ...names: string[]): string | undefined {
  for (const name of names) {
    const value: Json | undefined = entry.config[name];
    if (value === undefined || value === null || value === '') continue;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw entryError(entry, 'KEYCHAIN_ENTRY', `\`${name}\` must be text`);
  }
  return undefined;
}
