/** Fields shared by several types of credentials. */
import { type CredentialField, type CredentialType } from './declaration';

export const HMAC: readonly CredentialField[] = [
  ['key_id', 'access_key_id', 'aws_access_key_id', 'access_key'],
  ['secret', 'secret_key', 'secret_access_key', 'aws_secret_access_key'],
];

export const SERVICE_ACCOUNT: readonly CredentialField[] = [
  ['service_account_json', 'service_account', 'credentials_json', 'private_key'],
];

/** `sf_account` or `account`. */
export function prefixed(prefix: string, ...names: string[]): CredentialField {
  return [...names.map((name) => `${prefix}${name}`), ...names] as unknown as CredentialField;
}

/** What requests log in with. */
export const HTTP_LOGINS: readonly CredentialType[] = [
  {
    names: ['bearer', 'http_bearer', 'httpbearerauth', 'bearer_token', 'token', 'jwt'],
    forms: [[['token', 'access_token', 'bearer_token', 'value', 'key']]],
  },
  {
    names: ['basic', 'http_basic', 'httpbasicauth', 'basic_auth'],
    forms: [
      [
        ['username', 'user', 'login'],
        ['password', 'pass'],
      ],
    ],
  },
  {
    names: ['api_key', 'apikey', 'http_api_key', 'header'],
    forms: [[['value', 'api_key', 'key', 'token']]],
  },
];
