/** Entries that stand in the playbook, with values of other entries, of the workload or of stored credentials in them. */
import { isMapping, type JsonObject } from '../../src/plan';
import { privateTexts } from '../credentials';
import { field } from '../fields';
import { type EntryKind, entryError, textOf } from './resolved';

/** Fields of every entry that are none of its value. */
const ABOUT: ReadonlySet<string> = new Set(['scope', 'auto_renew', 'description', 'desc', 'ttl']);

/** `bearer`: a `token`, or the stored credential that `auth` (or `credential`) names. */
export const bearer: EntryKind = async ({ entry, credentials, now }) => {
  const own = textOf(entry, 'token', 'access_token', 'value');
  const name = own === undefined ? textOf(entry, 'auth', 'credential', 'credential_ref') : undefined;
  const found =
    name === undefined ? undefined : await credentials.resolve(name, { execution_id: entry.execution_id });
  const token = own ?? (found && field(found.data, 'token', 'access_token', 'value', 'key'));
  if (typeof token !== 'string')
    throw entryError(
      entry,
      'KEYCHAIN_ENTRY',
      'it has no token: write `token`, or name a credential with one in `auth`',
    );
  const value = { type: 'bearer', token, access_token: token, value: token };
  return {
    value,
    secrets: privateTexts({ token }),
    source: found ? `credential ${found.name}` : 'the playbook',
    resolvedAt: now,
  };
};

/** `static`: `map` (or `value`, `data`), or the other fields of the entry. */
export const fixed: EntryKind = ({ entry, now }) => {
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
