/** Service accounts of Google, in the spellings used by credentials. */
import { isMapping, type JsonObject } from '../../../src/language/plan';
import { field } from '../tool/fields';
import { jsonOr } from '../../../src/language/plan/json-text';
import { ToolError } from '../tool/outcome';
import { type Credential } from './credential';

/**
 * What Google's clients get. Of the other types of its key files, some name files, addresses and programs of the worker
 * (`credential_source` of `external_account`), which no playbook may.
 */
const FIELDS = ['project_id', 'private_key_id', 'private_key', 'client_email', 'client_id'];

/**
 * `service_account_json` (a mapping or text), or the fields themselves; undefined if there are none.
 *
 * @throws ToolError `CREDENTIAL_INVALID`, which quotes nothing of it
 */
export function serviceAccountOf(credential: Credential | undefined): JsonObject | undefined {
  const { data, name } = credential ?? { data: {}, name: '' };
  const given = field(data, 'service_account_json', 'credentials_json', 'service_account');
  if (given === undefined && !('private_key' in data)) return undefined;
  const read = typeof given === 'string' ? jsonOr(given, undefined) : (given ?? data);
  const account: JsonObject = isMapping(read) ? (read as JsonObject) : {};
  const isComplete =
    typeof account['client_email'] === 'string' && typeof account['private_key'] === 'string';
  // The fields themselves are beside the type of the credential.
  const isOther = given !== undefined && (account['type'] ?? 'service_account') !== 'service_account';
  if (isComplete && !isOther)
    return {
      type: 'service_account',
      ...Object.fromEntries(FIELDS.flatMap((key) => (key in account ? [[key, account[key]!]] : []))),
    };
  const message = `credential '${name}' is not a service account: service_account_json needs client_email and private_key, and no type but service_account`;
  throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_INVALID', message, credential: name });
}
