/** OAuth 2 tokens with client credentials (RFC 6749 §4.4), requested on demand and renewed before they expire. */
import { isMapping, type Json, type JsonObject, secondsOf } from '../../../src/language/plan';
import { privateTexts } from '../credentials';
import { field } from '../tool/fields';
import { queryText } from '../http/query';
import { type EntryKind, entryError, type EntryRequest, type ResolvedEntry, entryText } from './resolved';
import { sendForm } from './token-request';

/** Fields of the entry that go into the request unless `data` sets them. */
const SHORT = [
  'grant_type',
  'client_id',
  'client_secret',
  'scope',
  'audience',
  'resource',
  'refresh_token',
] as const;

/**
 * `endpoint` (`token_url`, `url`), `method` (POST), `headers`, `data`; `client_id`, `client_secret`, `scope` … may be
 * given beside `data`, or in the stored credential named by `auth`. Sent as a form, unless the headers say JSON.
 */
export const oauth2: EntryKind = async (request) => {
  const { entry, now } = request;
  const { config } = entry;
  const base = await credentialFields(request);
  const endpoint =
    entryText(entry, 'endpoint', 'token_url', 'token_endpoint', 'url') ??
    base['token_url'] ??
    base['endpoint'];
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint))
    throw entryError(entry, 'KEYCHAIN_ENTRY', 'it needs the URL of the token endpoint in `endpoint`');
  const { data } = config;
  const headers = headersOf(config['headers'] ?? null);
  const method = (entryText(entry, 'method') ?? 'POST').toUpperCase();
  const answer = await sendForm(request, {
    url: endpoint,
    method,
    headers,
    body: typeof data === 'string' ? data : bodyOf(formOf(request, base), headers),
  });
  return oauthEntryOf(request, answer, `${new URL(endpoint).host}`, now);
};

/** The token endpoint's response, as the value of the entry. */
export function oauthEntryOf(
  { entry }: EntryRequest,
  answer: JsonObject,
  source: string,
  now: number,
): ResolvedEntry {
  const token = field(answer, 'access_token', 'token', 'id_token');
  if (typeof token !== 'string')
    throw entryError(entry, 'KEYCHAIN_TOKEN', `${source} returned no token`, { kind: 'server_error' });
  const seconds = secondsOf(field(answer, 'expires_in') ?? field(entry.config, 'ttl'));
  return {
    value: { ...answer, type: 'bearer', token, access_token: token },
    secrets: privateTexts(answer),
    source,
    renewable: true,
    resolvedAt: now,
    ...(seconds && { expiresAt: now + seconds * 1000 }),
  };
}

async function credentialFields({ entry, credentials }: EntryRequest): Promise<JsonObject> {
  const given = field(entry.config, 'auth', 'credential');
  if (isMapping(given)) return given as JsonObject;
  if (typeof given !== 'string' || given === '') return {};
  return (await credentials.resolve(given, { execution_id: entry.execution_id })).data;
}

function formOf({ entry }: EntryRequest, base: JsonObject): JsonObject {
  const { data } = entry.config;
  const form: Record<string, Json> = {};
  for (const name of SHORT) {
    const value = entry.config[name] ?? base[name];
    if (value !== undefined && value !== null) form[name] = Array.isArray(value) ? value.join(' ') : value;
  }
  return { grant_type: 'client_credentials', ...form, ...(isMapping(data) ? (data as JsonObject) : {}) };
}

function bodyOf(form: JsonObject, headers: Record<string, string>): string {
  if (/json/i.test(headers['content-type'] ?? '')) return JSON.stringify(form);
  headers['content-type'] ??= 'application/x-www-form-urlencoded';
  return queryText(form);
}

function headersOf(given: Json): Record<string, string> {
  if (!isMapping(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );
}
