/** Secrets of a provider: `map` defines the entry's fields and the provider's name for each. */
import { compact, isMapping, type JsonObject, type SecretReference } from '../../../src/language/plan';
import { credentialFrom, privateTexts } from '../credentials';
import { fetchSecret } from '../secrets/fetch';
import { jsonOr } from '../../../src/language/plan/json-text';
import { type EntryKind, type EntryRequest, entryError, entryText } from './resolved';

/** Fields that locate a secret besides its name; of the entry, or of one field of `map`. */
const PLACE = ['version', 'field', 'project', 'region', 'mount', 'kv_version'] as const;

export const secretManager: EntryKind = async (request) => {
  const { entry, now } = request;
  const { map } = entry.config;
  if (map !== undefined && map !== null && !isMapping(map))
    throw entryError(entry, 'KEYCHAIN_ENTRY', '`map` must be a mapping from field to the name of a secret');
  const provider = providerOf(request);
  const value = isMapping(map)
    ? await mapped(request, provider, map as JsonObject)
    : await whole(request, provider);
  return { value, secrets: everyText(value), source: provider, resolvedAt: now };
};

/** Each field is a separate secret: its name, or `{secret, version, field, …}`. */
async function mapped(request: EntryRequest, provider: string, map: JsonObject): Promise<JsonObject> {
  const fields = await Promise.all(
    Object.entries(map).map(async ([key, named]) => {
      const place: JsonObject = isMapping(named) ? { ...(named as JsonObject) } : { secret: named };
      return [key, (await fetched(request, provider, place)).text] as const;
    }),
  );
  return Object.fromEntries(fields);
}

/** One secret: `value` is its text; if that is a JSON mapping, its fields become fields of the entry too. */
async function whole(request: EntryRequest, provider: string): Promise<JsonObject> {
  const { entry } = request;
  const secret = entryText(entry, 'secret', 'secret_name', 'key') ?? entry.name;
  const { text } = await fetched(request, provider, { secret });
  const data = jsonOr(text, undefined);
  return { ...(isMapping(data) && (data as JsonObject)), value: text };
}

function fetched({ entry, credentials, signal }: EntryRequest, provider: string, place: JsonObject) {
  const secret = place['secret'] ?? place['secret_name'] ?? place['name'];
  if (typeof secret !== 'string' || secret === '')
    throw entryError(entry, 'KEYCHAIN_ENTRY', 'a field of `map` must be the name of a secret');
  const about = PLACE.flatMap((key) => {
    const value = place[key] ?? entry.config[key];
    return value === undefined || value === null || value === '' ? [] : [[key, String(value)] as const];
  });
  const ref: SecretReference = { provider, secret, ...Object.fromEntries(about) };
  const { auth, credential: named } = entry.config;
  const given = auth ?? named;
  const name = typeof given === 'string' && given !== '' ? given : undefined;
  return fetchSecret(
    { ...ref, ...compact({ auth: name }) },
    {
      credentials,
      execution_id: entry.execution_id,
      signal,
      ...(isMapping(given) && { credential: credentialFrom('inline', given as JsonObject, 'the keychain') }),
    },
  );
}

/**
 * `provider`; by default Google if the entry names a Google credential or resource, as in NoETL, otherwise the worker's
 * environment.
 */
function providerOf({ entry }: EntryRequest): string {
  const named = entryText(entry, 'provider');
  if (named !== undefined) return named;
  const { auth, credential, map } = entry.config;
  const secrets = [entry.config['secret'], ...(isMapping(map) ? Object.values(map) : [])];
  const isGoogles = secrets.some((secret) => typeof secret === 'string' && secret.startsWith('projects/'));
  return isGoogles || (auth ?? credential ?? '') !== '' ? 'google' : 'environment';
}

/** Everything from a secret manager is secret, whatever its name. */
function everyText(value: JsonObject): string[] {
  return privateTexts(Object.values(value));
}
