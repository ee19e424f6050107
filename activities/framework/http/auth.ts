/** Applies a credential to a request. */
import { type JsonObject } from '../../../src/language/plan';
import { type Credential } from '../credentials/credential';
import { field } from '../tool/fields';
import { ToolError } from '../tool/outcome';

export interface RequestAuth {
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
}

/**
 * `bearer`, `oauth2` {token | access_token} · `basic` {username, password} · `api_key` {header | name, value | key, in:
 * header | query} · `header` {name, value}. Without a type it is inferred from the fields.
 */
export function requestAuth(credential: Credential | undefined): RequestAuth {
  if (!credential) return { headers: {}, query: {} };
  const { data } = credential;
  const type = (credential.type ?? guess(data)).toLowerCase().replace(/[^a-z0-9]/g, '');
  const get = (...names: string[]): string => required(credential, ...names);
  if (['bearer', 'oauth2', 'token', 'bearertoken', 'httpbearer', 'jwt'].includes(type)) {
    const prefix = field(data, 'prefix', 'scheme') ?? 'Bearer';
    return {
      headers: {
        authorization: `${String(prefix)} ${get('token', 'access_token', 'bearer_token', 'value', 'key')}`,
      },
      query: {},
    };
  }
  if (['basic', 'basicauth', 'httpbasic'].includes(type)) {
    const pair = `${get('username', 'user', 'login')}:${get('password', 'pass')}`;
    return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, query: {} };
  }
  if (['apikey', 'header', 'custom'].includes(type)) {
    const value = get('value', 'api_key', 'key', 'token');
    const where = String(field(data, 'in', 'location') ?? 'header').toLowerCase();
    const name =
      field(data, 'header', 'header_name', 'name', 'param') ?? (where === 'query' ? 'api_key' : 'X-API-Key');
    return where === 'query'
      ? { headers: {}, query: { [String(name)]: value } }
      : { headers: { [String(name)]: value }, query: {} };
  }
  throw new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_UNSUITABLE',
    message: `credential '${credential.name}' is of type '${type}', which http cannot use (bearer, basic, api_key, header)`,
  });
}

function guess(data: JsonObject): string {
  if (field(data, 'token', 'access_token') !== undefined) return 'bearer';
  if (field(data, 'username', 'user') !== undefined) return 'basic';
  return 'api_key';
}

function required(credential: Credential, ...names: string[]): string {
  const value = field(credential.data, ...names);
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_INVALID',
    message: `credential '${credential.name}' has no ${names[0]}`,
  });
}
