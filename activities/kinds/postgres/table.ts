/**
 * Writes rows into a table: they are sent as one bound JSON value that Postgres itself reads as rows of the table
 * (`json_populate_recordset`), so every type that has a text form is written as the server would read it.
 */
import { escapeIdentifier } from 'pg';
import { type Json, type JsonObject } from '../../../src/language/plan';
import { nearest } from '../../../src/language/template/suggest';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { asObjects, type RowBatch } from '../../framework/sql/table/columns';
import { onConflict } from '../../framework/sql/table/on-conflict';
import { type TableName, type TableWrite } from '../../framework/sql/table/request';
import { columnBytes, structured } from '../../framework/sql/table/values';
import { openForWriting, type OpenTable, type Table } from '../../framework/sql/table/writer';
import { type PostgresSession } from './session';

interface PgTable extends Table {
  /** The columns of each unique index that an upsert can use. */
  readonly uniques: readonly (readonly string[])[];
}

export function openPostgresTable(session: PostgresSession, write: TableWrite): Promise<OpenTable> {
  const { client } = session;
  return openForWriting(
    {
      kind: 'postgres',
      begin: () => session.begin(true),
      commit: () => client.query('commit'),
      check: () => session.check(),
      describe: (name) => describe(session, name),
      checkKey: (table, key) => checkUnique(write, table, key),
      async deleteAll({ sql }) {
        // Two concurrent replaces would each delete what the other cannot see yet, and both would insert.
        await client.query(`lock table ${sql} in share row exclusive mode`);
        return (await client.query(`delete from ${sql}`)).rowCount ?? 0;
      },
      writeBatch: (table, batch, key) => writeBatch(session, table, batch, write, key),
    },
    write,
  );
}

async function writeBatch(
  session: PostgresSession,
  table: Table,
  batch: RowBatch,
  write: TableWrite,
  key: readonly string[],
): Promise<number> {
  const columns = batch.columns.map(escapeIdentifier).join(', ');
  const sql =
    `insert into ${table.sql} (${columns}) ` +
    `select ${columns} from json_populate_recordset(null::${table.sql}, $1::json)` +
    onConflict(write, batch.columns, key);
  const rows = asObjects(batch).map((row) => forColumns(row, table));
  return (await session.client.query(sql, [JSON.stringify(rows)])).rowCount ?? 0;
}

/** Values that `json_populate_recordset` would read differently than intended. */
function forColumns(row: JsonObject, table: Table): JsonObject {
  const entries = Object.entries(row).map(([column, value]): [string, Json] => {
    const type = table.types.get(column);
    if (typeof value !== 'string') return [column, value];
    if (type === 'json' || type === 'jsonb') return [column, structured(value)];
    const isBase64 = type === 'bytea' && !value.startsWith('\\x');
    return [column, isBase64 ? `\\x${columnBytes('postgres', value, column).toString('hex')}` : value];
  });
  return Object.fromEntries(entries);
}

async function describe(session: PostgresSession, name: TableName): Promise<PgTable> {
  const spellings = [true, false].map((exact) => name.parts.map((part) => spelled(part, exact)).join('.'));
  const { rows } = await session.client.query<Description>(DESCRIBE, spellings);
  const row = rows[0];
  if (!row) throw await noSuchTable(session, name);
  return {
    sql: `${escapeIdentifier(row.schema)}.${escapeIdentifier(row.name)}`,
    columns: row.columns.map((column) => column.name),
    types: new Map(row.columns.map((column) => [column.name, column.type])),
    primaryKey: row.uniques.find((index) => index.primary)?.columns ?? [],
    uniques: row.uniques.map((index) => index.columns),
  };
}

/** Quoted for the server: as written or, like an unquoted SQL name, in lower case. */
function spelled(part: TableName['parts'][number], exact: boolean): string {
  return escapeIdentifier(exact || part.quoted ? part.name : part.name.toLowerCase());
}

interface Description {
  schema: string;
  name: string;
  columns: { name: string; type: string }[];
  uniques: { primary: boolean; columns: string[] }[];
}

/** A domain counts as its base type; expression and partial indexes are not keys. */
const DESCRIBE = `
  select n.nspname as schema, c.relname as name,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type',
        format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null)) order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(json_agg(json_build_object('primary', i.indisprimary, 'columns',
        (select json_agg(a.attname order by k.at) from unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as k(attnum, at)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum))), '[]')
      from pg_index i
      where i.indrelid = c.oid and i.indisunique and i.indimmediate and i.indisvalid
        and i.indpred is null and i.indexprs is null) as uniques
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.oid = coalesce(to_regclass($1), to_regclass($2))`;

/** SQLSTATE 42P01 with the server's message, plus the closest table name if there is one. */
async function noSuchTable(session: PostgresSession, name: TableName): Promise<ToolError> {
  const { rows } = await session.client.query<{ name: string }>(
    `select case when n.nspname = any(current_schemas(false)) then c.relname else n.nspname || '.' || c.relname end as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'f') and n.nspname !~ '^(pg_|information_schema)' limit 1000`,
  );
  const suggestion = nearest(
    name.text,
    rows.map((row) => row.name),
  );
  const message =
    `postgres: there is no table ${name.text}${suggestion ? `; did you mean ${suggestion}?` : '; create it before the task that writes to it'} ` +
    '[SQLSTATE 42P01]';
  return new ToolError(
    { kind: 'sql', code: 'SQLSTATE_42P01', message },
    { pg: { code: '42P01', sqlstate: '42P01' } },
  );
}

/** Postgres would report 42P10 without saying which keys exist. */
function checkUnique(write: TableWrite, table: PgTable, key: readonly string[]): void {
  const isSame = (other: readonly string[]): boolean =>
    other.length === key.length && key.every((column) => other.includes(column));
  if (table.uniques.some(isSame)) return;
  const uniques = table.uniques.map((columns) => `(${columns.join(', ')})`).join(' and ');
  const message =
    `postgres: an upsert by (${key.join(', ')}) needs a primary key or a unique index on exactly these columns; ` +
    `${write.table.text} has ${uniques || 'none'}`;
  throw invalidInput(message, 'NO_UNIQUE_KEY');
}
