/** The kinds of keychain entries as a table: required fields, and the fields of the value. */
import { asMap, type MapNode, presentValue } from '../yaml/node';

interface EntryKindDoc {
  /** One of these is required: synonyms or alternatives. */
  readonly needs?: readonly string[];
  /** The fields of `keychain.<name>`, if known; undefined: any. */
  readonly fields?: (entry: MapNode) => readonly string[] | undefined;
  /** Its fields belong to a single token. */
  readonly isToken?: true;
}

const mapped = (entry: MapNode): readonly string[] | undefined =>
  asMap(presentValue(entry, 'map'))?.entries.map((each) => each.key);

const TOKEN = ['token', 'access_token', 'value', 'type'];

const ENTRY_KINDS: Readonly<Record<string, EntryKindDoc>> = {
  credential: {},
  credential_ref: {},
  secret_manager: { fields: mapped },
  secrets: { fields: mapped },
  oauth2: { needs: ['endpoint', 'token_url', 'token_endpoint', 'url', 'auth', 'credential'] },
  bearer: { fields: () => TOKEN, isToken: true },
  static: { fields: mapped },
  google: {},
  google_oauth: {},
  google_service_account: {},
  google_id_token: {
    needs: ['audience', 'target_audience'],
    fields: () => [...TOKEN, 'id_token', 'expires_in'],
    isToken: true,
  },
};

export const ENTRY_KIND_NAMES = Object.keys(ENTRY_KINDS);

/**
 * The declaration of a kind; undefined for one that names a stored credential (`postgres_credential`) or is
 * unknown.
 */
export function entryKindDoc(kind: string): EntryKindDoc | undefined {
  return Object.hasOwn(ENTRY_KINDS, kind) ? ENTRY_KINDS[kind] : undefined;
}

/** A stored credential, named by the kind of its service. */
export function isCredentialKind(kind: string): boolean {
  return /(^|_)credentials?$/.test(kind);
}
