/** Selects the database for an operator's query. */
import { hasCode } from '../../../language/errors';
import { type JsonObject } from '../../../language/plan';
import { addressOf, wordsOfFields } from '../../../storage/postgres';
import { FacadeError } from '../http/errors';

/** Fields of a stored credential, with their alternative spellings. */
const FIELDS = {
  host: ['db_host', 'host', 'hostname'],
  port: ['db_port', 'port'],
  user: ['db_user', 'user', 'username'],
  password: ['db_password', 'password'],
  database: ['db_name', 'database', 'dbname', 'db_database', 'db'],
  dsn: ['dsn', 'url', 'uri', 'connection_string'],
} as const;

/** @throws FacadeError 422 if it does not name a database */
export function urlOfCredential(name: string, data: JsonObject): string {
  const field = (which: keyof typeof FIELDS): string | undefined => {
    const key = FIELDS[which].find((spelling) => data[spelling] !== undefined && data[spelling] !== null);
    return key === undefined ? undefined : String(data[key]);
  };
  const dsn = field('dsn');
  if (dsn !== undefined) return withWords(checkedUrl(dsn), data);
  const host = field('host');
  if (host === undefined)
    throw new FacadeError(422, 'CREDENTIAL_KIND', `credential ${name} has no address of a Postgres server`);
  const url = new URL('postgres://localhost');
  url.hostname = host;
  url.port = field('port') ?? '5432';
  url.username = encodeURIComponent(field('user') ?? 'postgres');
  url.password = encodeURIComponent(field('password') ?? '');
  url.pathname = `/${encodeURIComponent(field('database') ?? 'postgres')}`;
  return withWords(url.toString(), data);
}

/** Adds the TLS settings of the credential's fields. @throws FacadeError 422 */
function withWords(url: string, data: JsonObject): string {
  const words = Object.entries(wordsOfFields(data)) as [string, string][];
  if (words.length === 0) return url;
  const other = new URL(url);
  for (const [word, value] of words) other.searchParams.set(word, value);
  return checkedUrl(other.toString());
}

/** Another database on the same server. */
export function withDatabase(url: string, database: string | undefined): string {
  if (database === undefined) return url;
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.toString();
}

/** @throws FacadeError 422 */
export function checkedUrl(url: string): string {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new FacadeError(422, 'CONNECTION_STRING', 'a connection string begins with postgres://');
  try {
    addressOf(url);
    return url;
  } catch (error) {
    if (!hasCode(error, 'TLS_WORD')) throw error;
    throw new FacadeError(422, 'CONNECTION_STRING', error.message);
  }
}
