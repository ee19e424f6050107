/** Fields shared by several types of credentials. */
import { type CredentialField } from './declaration';

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
