/**
 * Google identities: a stored service account or OAuth client, with an access token if one can be obtained, and id
 * tokens for an audience (Cloud Run). Tokens come from the account's own `token_uri` (RFC 7523).
 */
import { createSign } from 'node:crypto';
import { type Json, type JsonObject } from '../../../src/language/plan';
import { privateTexts } from '../credentials';
import { field } from '../tool/fields';
import { queryText } from '../http/query';
import { type EntryKind, entryError, type EntryRequest, entryText } from './resolved';
import { oauthEntryOf } from './oauth2';
import { credentialOf } from './stored';
import { sendForm } from './token-request';

const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const CLOUD = 'https://www.googleapis.com/auth/cloud-platform';
const ASSERTION_S = 3600;

/** The stored credential, with `access_token` and its expiry; `scopes` default to the whole cloud platform. */
export const googleAccount: EntryKind = async (request) => {
  const { entry, now } = request;
  const credential = await credentialOf(request);
  const account = accountOf(request, credential.data);
  const grant = account['private_key']
    ? assertion(request, account, { scope: scopesOf(entry.config) })
    : refresh(account);
  const source = `credential ${credential.name}`;
  if (!grant) return { value: account, secrets: privateTexts(account), source, resolvedAt: now };
  const token = oauthEntryOf(request, await send(request, account, grant), source, now);
  return {
    ...token,
    value: { ...account, ...token.value },
    secrets: [...token.secrets, ...privateTexts(account)],
  };
};

/** `audience` (`target_audience`): the URL of the service the token is for. */
export const googleIdToken: EntryKind = async (request) => {
  const { entry, now } = request;
  const audience = entryText(entry, 'audience', 'target_audience');
  if (audience === undefined)
    throw entryError(entry, 'KEYCHAIN_ENTRY', 'it needs `audience`: the URL of the service');
  const credential = await credentialOf(request);
  const account = accountOf(request, credential.data);
  if (!account['private_key'])
    throw entryError(entry, 'KEYCHAIN_ENTRY', `the credential '${credential.name}' is not a service account`);
  const grant = assertion(request, account, { target_audience: audience });
  const answer = await send(request, account, grant);
  // Google does not return the lifetime of id tokens: they are valid for an hour.
  const token = oauthEntryOf(
    request,
    { expires_in: ASSERTION_S, ...answer },
    `credential ${credential.name}`,
    now,
  );
  return { ...token, value: { ...token.value, id_token: token.value['token']! } };
};

function send(request: EntryRequest, account: JsonObject, form: JsonObject): Promise<JsonObject> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const url = String(account['token_uri'] ?? TOKEN_URI);
  return sendForm(request, { url, method: 'POST', headers, body: queryText(form) });
}

/** A service account signs its own request. */
function assertion({ entry, now }: EntryRequest, account: JsonObject, claims: JsonObject): JsonObject {
  const issued = Math.floor(now / 1000);
  const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({
    alg: 'RS256',
    typ: 'JWT',
    ...(account['private_key_id'] && { kid: account['private_key_id'] }),
  });
  const body = part({
    iss: String(account['client_email'] ?? ''),
    aud: String(account['token_uri'] ?? TOKEN_URI),
    iat: issued,
    exp: issued + ASSERTION_S,
    ...claims,
  });
  try {
    const signature = createSign('RSA-SHA256')
      .update(`${head}.${body}`)
      .sign(String(account['private_key']), 'base64url');
    return {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${head}.${body}.${signature}`,
    };
  } catch {
    // OpenSSL's message may quote the key.
    throw entryError(entry, 'KEYCHAIN_ENTRY', 'the private key of the service account is invalid');
  }
}

/** An OAuth client with a refresh token; undefined for a credential that needs no exchange. */
function refresh(account: JsonObject): JsonObject | undefined {
  const { client_id, client_secret, refresh_token } = account;
  if (!client_id || !client_secret || !refresh_token) return undefined;
  return { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
}

function accountOf({ entry }: EntryRequest, data: JsonObject): JsonObject {
  const given = field(data, 'service_account_json', 'service_account');
  if (given === undefined) return data;
  if (typeof given !== 'string') return given as JsonObject;
  try {
    return JSON.parse(given) as JsonObject;
  } catch {
    // The parser's message would quote the text, which is the secret.
    throw entryError(entry, 'KEYCHAIN_ENTRY', '`service_account_json` of its credential is not JSON');
  }
}

function scopesOf(config: JsonObject): string {
  const given: Json | undefined = field(config, 'scopes', 'oauth_scopes');
  return Array.isArray(given) ? given.join(' ') : typeof given === 'string' ? given : CLOUD;
}
