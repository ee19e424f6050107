/** A queue table: its rows are the messages. */
import { type Client, escapeIdentifier } from 'pg';
import { configOf } from '../../../../../activities/kinds/postgres/login';
import { CodedError } from '../../../../language/errors';
import { isMapping, type JsonObject } from '../../../../language/plan';
import { type Source, type SourceMessage } from '../../source';
import { openRows, type RowQueueSql } from '../rows';

export const postgresSource: Source = {
  name: 'postgres',
  shared: true,
  open: async ({ spec, credential }, signal) =>
    await openRows(
      configOf(credential),
      (database) => sqlOf(spec, database),
      ({ id, version, body, headers }) => {
        const named = headersIn(headers);
        const metadata = {
          table: String(spec['table']),
          row: String(id),
          ...(!named && { headers: String(headers) }),
        };
        return {
          // A row that is written anew is another message.
          id: `${String(id)}@${String(version)}`,
          bytes: Buffer.from(String(body ?? '')),
          headers: named ?? {},
          attributes: {},
          metadata,
        };
      },
      signal,
    ),
};

/** `$1`: the table; `$2`: a column. Of a partitioned table no index has the id alone. */
const IS_UNIQUE = `SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
  WHERE c.oid = $1::regclass AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND a.attname = $2 AND (i.indnkeyatts = 1 OR c.relkind = 'p')`;
/** While it is locked, a row stays where it is. */
const PLACE = `t.tableoid::text || ' ' || t.ctid::text`;
const AT_PLACE = `t.ctid = ANY(ARRAY(SELECT split_part(place, ' ', 2)::tid FROM unnest($1::text[]) AS place)) AND ${PLACE} = ANY($1)`;

async function sqlOf(spec: JsonObject, database: Pick<Client, 'query'>): Promise<RowQueueSql> {
  const text = (key: string): string | undefined => (typeof spec[key] === 'string' ? spec[key] : undefined);
  const columns = isMapping(spec['columns']) ? spec['columns'] : {};
  const column = (key: string): string | undefined =>
    typeof columns[key] === 'string' ? `t.${escapeIdentifier(columns[key])}` : undefined;
  const table = text('table')!
    .split('.')
    .map((part) => escapeIdentifier(part))
    .join('.');
  const name = typeof columns['id'] === 'string' ? columns['id'] : 'id';
  const id = `t.${escapeIdentifier(name)}`;
  const [waiting, done, channel] = [text('waiting') ?? 'true', text('done'), text('channel')];
  const isUnique = (await database.query(IS_UNIQUE, [table, name])).rows.length > 0;
  if (done !== undefined && !isUnique)
    throw new CodedError(
      'QUEUE_ID_NOT_UNIQUE',
      `${text('table')}.${name} is not unique: \`done\` would be told of rows that nobody has taken; give the column a unique index, or name another one (columns.id)`,
    );
  return {
    claim:
      `SELECT ${done === undefined ? PLACE : `(${id})::text`} AS row, (${id})::text AS id, ` +
      `t.xmin::text ${isUnique ? '' : `|| ' ' || ${PLACE}`} AS version, ` +
      `${column('payload') ?? 'to_jsonb(t)'}::text AS body, ${column('headers') ?? 'NULL'}::text AS headers ` +
      `FROM ${table} t WHERE (${waiting}) ORDER BY ${text('order') ?? id} LIMIT $1 FOR UPDATE OF t SKIP LOCKED`,
    done: done ?? `DELETE FROM ${table} t WHERE ${AT_PLACE}`,
    count: `SELECT count(*) FROM (SELECT 1 FROM ${table} t WHERE (${waiting}) LIMIT 100000) AS waiting`,
    ...(channel !== undefined && { channel }),
  };
}

/** Not parsed by the server: one row that is no JSON would hold up all others. @returns undefined: it is no mapping */
function headersIn(text: unknown): SourceMessage['headers'] | undefined {
  let headers: unknown;
  try {
    headers = JSON.parse(String(text ?? '{}')) ?? {};
  } catch {
    return undefined;
  }
  if (!isMapping(headers)) return undefined;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
