/**
 * Credentials as DuckDB secrets, used to open attached databases and files in buckets: `auth: {pg: {credential:
 * pg_local}}` and `ATTACH '' AS warehouse (TYPE postgres, SECRET pg)`. They live as long as the task, in memory.
 */
import { isMapping, type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { asError } from '../../framework/tool/cause';
import { awsOptions } from '../../framework/credentials/aws';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Credential } from '../../framework/credentials/credential';
import { booleanField, field, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { configOf, tlsWordsOf, unusable } from '../postgres/login';
import { type ToolContext } from '../../framework/tool/tool';
import { type Connection } from './process/connection';

export interface DuckSecret {
  /** Its name in SQL. */
  readonly alias: string;
  readonly type: 'postgres' | 's3' | 'gcs' | 'http';
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** DuckDB's name for the extension that provides the type. */
const EXTENSIONS: Readonly<Record<DuckSecret['type'], string>> = {
  postgres: 'postgres_scanner',
  s3: 'httpfs',
  gcs: 'httpfs',
  http: 'httpfs',
};

/**
 * The secrets of `auth` (`credential`, `credentials`); none with `auto_secrets: false`.
 *
 * @throws ToolError `CREDENTIAL_UNSUITABLE`, `CREDENTIAL_INVALID`, errors of the credential lookup
 */
export async function secretsOfTask(
  call: TaskCall,
  { credentials }: Pick<ToolContext, 'credentials'>,
): Promise<DuckSecret[]> {
  if (!booleanField(call, ['auto_secrets'], true)) return [];
  const given = [field(call.config, 'auth', 'credential'), field(call.config, 'credentials')];
  return Promise.all(
    given.flatMap(aliasesOf).map(async ([alias, auth]) => {
      const credential = await resolveAuth({ ...call, config: { auth } }, credentials);
      if (!credential) throw invalidInput(`duckdb: auth.${alias} names no credential`, 'NO_CREDENTIAL');
      return { alias, ...secretOf(credential) };
    }),
  );
}

/** @throws ToolError `EXTENSION_MISSING` */
export async function createSecrets(connection: Connection, secrets: readonly DuckSecret[]): Promise<void> {
  for (const extension of new Set(secrets.map(({ type }) => EXTENSIONS[type])))
    await loadExtension(connection, extension);
  for (const { alias, type, options } of secrets) {
    const clauses = Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name} ${sqlLiteral(value)}`],
    );
    await connection.run(
      `create temporary secret "${alias.replaceAll('"', '""')}" (${[`type ${type}`, ...clauses].join(', ')})`,
    );
  }
}

/** `name` · `{type?, credential: name}` · `{alias: name | {…}, …}`: each alias and its credential. */
function aliasesOf(auth: Json | undefined): [string, Json][] {
  if (auth === undefined || auth === null || auth === '') return [];
  if (typeof auth === 'string') return [[auth, auth]];
  if (!isMapping(auth))
    throw invalidInput(
      `duckdb: auth must be the name of a credential or a mapping, not ${jsonTypeName(auth)}`,
    );
  const one = named(auth);
  if (typeof one === 'string')
    return [[one, auth['type'] === undefined ? one : { ...auth, credential: one }]];
  if (typeof auth['type'] === 'string') return [[auth['type'], auth as JsonObject]];
  return Object.entries(auth as JsonObject).map(([alias, value]) => {
    const name = isMapping(value) ? named(value) : undefined;
    return [alias, name === undefined ? value : { ...(value as JsonObject), credential: name }];
  });
}

/** `{credential: name}`, or `{source: credential, key: name}` from early playbooks. */
function named(auth: Readonly<Record<string, unknown>>): string | undefined {
  const isOld =
    auth['source'] === 'credential' || Object.keys(auth).every((key) => key === 'key' || key === 'type');
  const name = auth['credential'] ?? (isOld ? auth['key'] : undefined);
  return typeof name === 'string' ? name : undefined;
}

function secretOf(credential: Credential): Omit<DuckSecret, 'alias'> {
  const { data, name } = credential;
  const type = (credential.type ?? guess(data)).toLowerCase().replace(/[^a-z0-9]/g, '');
  if (/^(postgres|pg$|postgis|timescale)/.test(type))
    return { type: 'postgres', options: postgresOf(credential) };
  if (/^(s3|aws|minio)/.test(type)) return { type: 's3', options: s3Of(credential) };
  if (/^gcs/.test(type)) return { type: 'gcs', options: keysOf(credential) };
  const token = field(data, 'token', 'access_token', 'bearer_token');
  if (/^(bearer|httpbearer|token|oauth2|jwt)/.test(type) && token !== undefined)
    return { type: 'http', options: { bearer_token: String(token) } };
  const message = `credential '${name}' is of type '${type}', which duckdb cannot use (postgres, s3_hmac, gcs_hmac, bearer)`;
  throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_UNSUITABLE', message, credential: name });
}

function guess(data: JsonObject): string {
  if (field(data, 'db_host', 'host', 'dsn') !== undefined) return 'postgres';
  if (field(data, 'key_id', 'access_key_id') !== undefined) return 's3';
  return field(data, 'token', 'access_token') === undefined ? 'unknown' : 'bearer';
}

function postgresOf(credential: Credential): DuckSecret['options'] {
  const { connectionString, host, port, user, password, database } = configOf({
    ...credential,
    type: 'postgres',
  });
  const tls = tlsOptionsOf(credential);
  if (connectionString === undefined)
    return { host, port: String(port), user, password: password as string | undefined, database, ...tls };
  if (!URL.canParse(connectionString))
    throw unusable(credential.name, 'its dsn is not a URL, postgres://user:password@host/database');
  const url = new URL(connectionString);
  const part = (text: string): string | undefined => (text === '' ? undefined : decodeURIComponent(text));
  return {
    host: part(url.hostname),
    port: url.port === '' ? '5432' : url.port,
    user: part(url.username),
    password: part(url.password),
    database: part(url.pathname.slice(1)),
    ...tls,
  };
}

/**
 * TLS options are passed to libpq unchanged, except those only we support: inline PEM text, and verification without an
 * authority.
 */
function tlsOptionsOf(credential: Credential): DuckSecret['options'] {
  const words = tlsWordsOf(credential);
  if (!words) return {};
  const inline = Object.entries(words).find(([, value]) => (value as string).includes('-----BEGIN '));
  if (inline)
    throw unusable(credential.name, `duckdb reads certificates from files only; ${inline[0]} is PEM text`);
  const { sslmode, sslrootcert } = words;
  if (sslmode === 'no-verify') return { ...words, sslmode: 'require' };
  const verifies = sslmode?.startsWith('verify-') === true;
  return verifies && (sslrootcert ?? 'system') === 'system'
    ? { ...words, sslmode: 'verify-full', sslrootcert: 'system' }
    : { ...words };
}

function s3Of(credential: Credential): DuckSecret['options'] {
  const { region, endpoint } = awsOptions(credential.data);
  const at = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  return {
    ...keysOf(credential),
    region,
    ...(endpoint !== undefined && {
      endpoint: at?.host || endpoint,
      url_style: 'path',
      use_ssl: at?.protocol !== 'http:',
    }),
  };
}

function keysOf({ data, name }: Credential): DuckSecret['options'] {
  const keys = awsOptions(data).credentials;
  if (!keys) {
    const message = `credential '${name}' has no key_id and secret (HMAC keys), which duckdb needs of a bucket's`;
    throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_INVALID', message, credential: name });
  }
  return { key_id: keys.accessKeyId, secret: keys.secretAccessKey, session_token: keys.sessionToken };
}

/** From the folder of extensions, otherwise from DuckDB's server. */
export async function loadExtension(connection: Connection, extension: string): Promise<void> {
  try {
    await connection.run(`load ${extension}`).catch(async () => {
      await connection.run(`install ${extension}`);
      await connection.run(`load ${extension}`);
    });
  } catch (error) {
    const reason = asError(error).message.split('\n')[0]!;
    throw new ToolError({
      kind: 'connection',
      code: 'EXTENSION_MISSING',
      message: `duckdb: its extension ${extension} is not available (${reason}); the worker needs extensions.duckdb.org, or the extension in the folder NOETL_DUCKDB_EXTENSIONS`,
      retryable: true,
    });
  }
}

/** As SQL. */
export function sqlLiteral(value: string | boolean): string {
  return typeof value === 'boolean' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
