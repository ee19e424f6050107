/** Converts a credential to options of a Postgres client. */
import { type ClientConfig } from 'pg';
import { hasCode } from '../../../src/language/errors';
import {
  postgresTls,
  type TlsWords,
  withoutWords,
  wordsOf,
  wordsOfFields,
} from '../../../src/storage/postgres';
import { type Credential } from '../../framework/credentials/credential';
import { field } from '../../framework/tool/fields';
import { ToolError } from '../../framework/tool/outcome';
import { workerFile } from '../../framework/tool/worker-files';

/**
 * Accepts `dsn`/`url`/`connection_string`, or host, port, user, password, database with or without the prefix `db_`;
 * with libpq's TLS options in the query string, or as fields.
 *
 * @throws ToolError `CREDENTIAL_UNSUITABLE`, `CREDENTIAL_INVALID`
 */
export function configOf(credential: Credential): ClientConfig {
  const { name, type } = credential;
  if (type && !/^(postgres|postgresql|pg|postgis|timescale.*|alloydb|cockroach.*)/i.test(type)) {
    const message = `credential '${name}' is of type '${type}', which postgres cannot use`;
    throw new ToolError({ kind: 'auth', code: 'CREDENTIAL_UNSUITABLE', message });
  }
  try {
    const place = hostOf(credential);
    for (const file of filesOf(place)) workerFile('postgres', file);
    return { ...place, ...postgresTls(allowed(tlsWordsOf(credential) ?? {})) };
  } catch (error) {
    throw hasCode(error, 'TLS_WORD') ? unusable(name, error.message) : error;
  }
}

/** Sockets, and files of TLS in what is a dsn for the client only: it takes more for an address than `URL` does. */
function filesOf({ host = '', connectionString: dsn }: ClientConfig): string[] {
  if (dsn === undefined) return host.startsWith('/') ? [host] : [];
  const url =
    URL.parse(dsn, 'postgres://base') ?? URL.parse(dsn.replace('@/', '@without-host/'), 'postgres://base');
  const params = url?.searchParams;
  const hosts = [dsn.split(' ')[0]!, url?.hostname, params?.get('host')].map((one) => decoded(one ?? ''));
  const socket = url?.protocol === 'socket:' ? [url.pathname] : [];
  const files = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => params?.getAll(name) ?? []);
  return [...hosts.filter((one) => one.startsWith('/')), ...socket, ...files];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @throws ToolError `FILE_REFUSED` */
function allowed(words: TlsWords): TlsWords {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey'] as const) {
    const value = words[name];
    if (value !== undefined && value !== 'system' && !value.includes('-----BEGIN'))
      workerFile('postgres', value);
  }
  return words;
}

/** The credential's own TLS fields merged over those of its dsn; undefined without any. */
export function tlsWordsOf({ data }: Credential): TlsWords | undefined {
  const dsn = dsnOf(data);
  const words = {
    ...(dsn !== undefined && URL.canParse(dsn) && wordsOf(new URL(dsn))),
    ...wordsOfFields(data),
  };
  return Object.keys(words).length === 0 ? undefined : words;
}

/** Another database of the same server. */
export function inDatabase(config: ClientConfig, database: string | undefined): ClientConfig {
  if (database === undefined) return config;
  if (!config.connectionString) return { ...config, database };
  const url = new URL(config.connectionString);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { ...config, connectionString: url.href };
}

export function unusable(name: string, why: string): ToolError {
  return new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_INVALID',
    message: `credential '${name}': ${why}`,
    credential: name,
  });
}

function hostOf({ data, name }: Credential): ClientConfig {
  const dsn = dsnOf(data);
  if (dsn !== undefined) return { connectionString: withPassword(withoutWords(dsn)) };
  const host = text(data, 'db_host', 'host', 'hostname');
  if (!host) throw unusable(name, 'no db_host (or host, dsn, url)');
  return {
    host,
    port: Number(text(data, 'db_port', 'port') ?? 5432),
    user: text(data, 'db_user', 'user', 'username'),
    password: text(data, 'db_password', 'password') ?? NO_PASSWORD,
    database: text(data, 'db_name', 'database', 'dbname', 'db_database', 'db'),
  };
}

/** Without any, the client would give the server that the credential names the worker's own: PGPASSWORD, ~/.pgpass. */
const NO_PASSWORD = 'none-in-the-credential';

function withPassword(dsn: string): string {
  // As the client reads it, which takes more for an address than this class does.
  const url = URL.parse(dsn, 'postgres://base');
  if (url && (url.password !== '' || url.searchParams.get('password'))) return dsn;
  const [address = ''] = dsn.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}password=${NO_PASSWORD}`;
}

function dsnOf(data: Credential['data']): string | undefined {
  return text(data, 'dsn', 'url', 'uri', 'connection_string');
}

function text(data: Credential['data'], ...names: string[]): string | undefined {
  const value = field(data, ...names);
  return value === undefined || value === null || value === '' ? undefined : String(value as string);
}
