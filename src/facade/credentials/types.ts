/**
 * Types of credentials: how each is spelt, and what its data must hold, in the names that its tools read. A type that
 * stands here is checked when it is stored; any other is kept as it is.
 */
import { type JsonObject } from '../../plan';

/** Spellings of one field; the first is the one to name. */
type Field = readonly [string, ...string[]];

interface CredentialType {
  /** Lower case, `_` for `-` and blanks. */
  readonly names: readonly [string, ...string[]];
  /** Sets of fields, each enough by itself; the first is the usual one. */
  readonly forms: readonly [readonly Field[], ...(readonly Field[])[]];
}

/** `sf_account` or `account`. */
const both = (prefix: string, ...names: string[]): Field =>
  [...names.map((name) => `${prefix}${name}`), ...names] as unknown as Field;

const DSN: readonly Field[] = [['dsn', 'url', 'uri', 'connection_string']];
const SERVICE_ACCOUNT: readonly Field[] = [
  ['service_account_json', 'service_account', 'credentials_json', 'private_key'],
];
const HMAC: readonly Field[] = [
  ['key_id', 'access_key_id', 'aws_access_key_id', 'access_key'],
  ['secret', 'secret_key', 'secret_access_key', 'aws_secret_access_key'],
];

export const CREDENTIAL_TYPES: readonly CredentialType[] = [
  {
    names: ['postgres', 'postgresql', 'pg', 'postgis', 'timescaledb'],
    forms: [
      [
        ['db_host', 'host', 'hostname'],
        ['db_user', 'user', 'username'],
        ['db_password', 'password'],
        ['db_name', 'database', 'dbname', 'db_database', 'db'],
      ],
      DSN,
    ],
  },
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
  {
    names: ['oauth2', 'oauth', 'oauth2_client_credentials', 'google_oauth'],
    forms: [
      [['client_id'], ['client_secret']],
      [['token', 'access_token', 'refresh_token']],
      [['username'], ['password']],
      SERVICE_ACCOUNT,
    ],
  },
  {
    names: ['snowflake'],
    forms: [
      [both('sf_', 'account'), both('sf_', 'user', 'username'), both('sf_', 'password')],
      [both('sf_', 'account'), both('sf_', 'user', 'username'), both('sf_', 'private_key')],
      [both('sf_', 'account'), both('sf_', 'token')],
    ],
  },
  // An emulator is asked without credentials.
  { names: ['gcs_hmac', 'gcs'], forms: [HMAC, SERVICE_ACCOUNT, [['endpoint']]] },
  { names: ['s3_hmac', 's3', 'aws'], forms: [HMAC] },
  {
    names: ['google_service_account', 'gcp', 'google', 'service_account', 'gcp_service_account'],
    forms: [SERVICE_ACCOUNT],
  },
  { names: ['nats', 'nats_kv', 'nats_object_store'], forms: [[both('nats_', 'url', 'servers', 'server')]] },
  { names: ['custom', 'generic', 'secret', 'httpcustomauth'], forms: [[]] },
];

/** All spellings of the type that `name` is a spelling of; only itself for one that does not stand in the table. */
export function spellingsOf(name: string): readonly string[] {
  const written = name.toLowerCase();
  const names = typeOf(name)?.names ?? [];
  return [...new Set([written, ...names, ...names.map((one) => one.replaceAll('_', '-'))])];
}

export interface Checked {
  /** What is wrong: sentences; empty when the data will do. */
  readonly problems: readonly string[];
  /** What the writer should know although it was stored. */
  readonly note?: string;
}

/** Whether the data of a credential will do for its type. Says names of fields, never what they hold. */
export function checkCredential(type: string, data: JsonObject): Checked {
  const known = typeOf(type);
  if (!known) {
    const names = CREDENTIAL_TYPES.map((one) => one.names[0]).join(', ');
    return {
      problems: [],
      note: `the type '${type}' is not known here, its data was not checked (known: ${names})`,
    };
  }
  const lacking = known.forms.map((form) => form.filter((field) => !field.some((name) => has(data, name))));
  if (lacking.some((missing) => missing.length === 0)) return { problems: [] };
  // The form that is nearest to what was written; of several the usual one.
  const nearest = known.forms
    .map((form, index) => ({ missing: lacking[index]!, given: form.length - lacking[index]!.length }))
    .reduce((best, each) => (each.given > best.given ? each : best));
  const problems = nearest.missing.map((field) => {
    const others = field.slice(1).filter((name) => name !== field[0]);
    const spelt = others.length > 0 ? ` (also spelt ${others.join(', ')})` : '';
    return `a credential of type ${known.names[0]} needs data.${field[0]}${spelt}`;
  });
  return { problems };
}

function typeOf(name: string): CredentialType | undefined {
  const spelt = name.toLowerCase().replace(/[\s-]+/g, '_');
  return CREDENTIAL_TYPES.find(({ names }) => names.includes(spelt));
}

/** An empty text is an answer too: a server may want no password. */
function has(data: JsonObject, name: string): boolean {
  return Object.hasOwn(data, name) && data[name] !== null;
}
