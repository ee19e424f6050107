/** Entries defined in the playbook, which may contain values of other entries, the workload or stored credentials. */
import { isMapping, type JsonObject } from '../../../src/language/plan';
import { privateTexts } from '../credentials';
import { field } from '../tool/fields';
import { googleAccount } from './google';
import { oauth2 } from './oauth2';
import { type EntryKind, entryError, entryText } from './resolved';
import { credentialOf } from './stored';

/** Fields of every entry that are not part of its value. */
const ABOUT: ReadonlySet<string> = new Set(['scope', 'auto_renew', 'description', 'desc', 'ttl']);

/**
 * `bearer`: a `token`, or the one of the stored credential named by `auth` (or `credential`, or the entry's name): what it
 * holds, or what is asked for with it if it is an OAuth client or a Google account.
 */
export const bearer: EntryKind = async (request) => {
  const { entry, now } = request;
  const own = entryText(entry, 'token', 'access_token', 'value');
  const credential = own === undefined ? await credentialOf(request) : undefined;
  const token = own ?? (credential && field(credential.data, 'token', 'access_token', 'value', 'key'));
  if (typeof token === 'string')
    return {
      value: asBearer(token),
      secrets: privateTexts({ token }),
      source: credential ? `credential ${credential.name}` : 'the playbook',
      resolvedAt: now,
    };
  const { name, data } = credential!;
  const config = { ...entry.config, auth: name };
  const answer = await askerFor(data)?.({ ...request, entry: { ...entry, config } });
  const issued = answer?.value['token'];
  if (answer !== undefined && typeof issued === 'string') return { ...answer, value: asBearer(issued) };
  throw entryError(entry, 'KEYCHAIN_ENTRY', `the credential '${name}' has no token`);
};

function asBearer(token: string): JsonObject {
  return { type: 'bearer', token, access_token: token, value: token };
}

/** Who gets a token with these fields of a credential. */
function askerFor(data: JsonObject): EntryKind | undefined {
  const has = (...names: string[]): boolean => field(data, ...names) !== undefined;
  if (has('token_url', 'endpoint')) return oauth2;
  return has('private_key', 'service_account_json', 'service_account', 'refresh_token')
    ? googleAccount
    : undefined;
}

/** `static`: `map` (or `value`, `data`), or the other fields of the entry. */
export const inlineEntry: EntryKind = ({ entry, now }) => {
  const given = field(entry.config, 'map', 'data', 'value');
  const value = isMapping(given)
    ? (given as JsonObject)
    : given === undefined
      ? restOf(entry.config)
      : { value: given };
  return Promise.resolve({ value, secrets: privateTexts(value), source: 'the playbook', resolvedAt: now });
};

function restOf(config: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !ABOUT.has(key)));
}
