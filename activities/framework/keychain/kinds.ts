/** All kinds of keychain entries. To add one, write a function and add a line here. */
import { type SecretEntry } from '../../../src/language/plan';
import { secretsOf } from '../credentials';
import { googleAccount, googleIdToken } from './google';
import { bearer, inlineEntry } from './inline';
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
  static: inlineEntry,
  google: googleAccount,
  google_oauth: googleAccount,
  google_service_account: googleAccount,
  google_id_token: googleIdToken,
};

/** Any other kind (`postgres_credential`, …) names a stored credential. */
export function entryKind(kind: string): EntryKind {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind]! : stored;
}

/** Kinds whose fields refer to secrets and contain none. */
const NAMING: ReadonlySet<EntryKind> = new Set([stored, secretManager]);

/** Secrets in the fields of an entry: literal ones, and those of other entries. */
export function secretsWrittenIn({ kind, config }: SecretEntry): string[] {
  return NAMING.has(entryKind(kind)) ? [] : secretsOf(config);
}
