/** Every kind of keychain entry. A new one is a function and a line here. */
import { type SecretEntry } from '../../../src/plan';
import { secretsOf } from '../credentials';
import { googleAccount, googleIdToken } from './google';
import { bearer, fixed } from './inline';
import { oauth2 } from './oauth2';
import { type EntryKind } from './resolved';
import { secretManager } from './secret-manager';
import { stored } from './stored';

const KINDS: Readonly<Record<string, EntryKind>> = {
  credential: stored,
  credential_ref: stored,
  secret_manager: secretManager,
  secrets: secretManager,
  oauth2,
  bearer,
  static: fixed,
  google: googleAccount,
  google_oauth: googleAccount,
  google_service_account: googleAccount,
  google_id_token: googleIdToken,
};

/** Kinds that are none of these (`postgres_credential`, …) name a stored credential. */
export function entryKind(kind: string): EntryKind {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind]! : stored;
}

/** Kinds whose fields name secrets, and hold none. */
const NAMING: ReadonlySet<EntryKind> = new Set([stored, secretManager]);

/** Secrets that stand in the fields of an entry: literal ones, and those of other entries. */
export function secretsWrittenIn({ kind, config }: SecretEntry): string[] {
  return NAMING.has(entryKind(kind)) ? [] : secretsOf(config);
}
