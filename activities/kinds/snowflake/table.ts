/** Writes rows into a table: they are sent as one bound JSON value, whose parts Snowflake casts to the column types. */
import { type Json, type JsonObject } from '../../../src/language/plan';
import { invalidInput } from '../../framework/tool/outcome';
import { type RowBatch, quotedColumn } from '../../framework/sql/table/columns';
import { type TableName, type TableWrite } from '../../framework/sql/table/request';
import { columnBytes, structured } from '../../framework/sql/table/values';
import { openForWriting, type OpenTable, type Table } from '../../framework/sql/table/writer';
import { type SnowflakeSession } from './connection';

export function openSnowflakeTable(session: SnowflakeSession, write: TableWrite): Promise<OpenTable> {
  return openForWriting(
    {
      kind: 'snowflake',
      mergesAtomically: true,
      begin: () => session.execute('begin', [], 'begin'),
      commit: () => session.execute('commit', [], 'commit'),
      check: () => session.check(),
      describe: (name) => describe(session, name),
      deleteAll: async ({ sql }) => (await session.execute(`delete from ${sql}`, [], 'replace')).changed,
      writeBatch: (table, batch, key) => writeBatch(session, table, batch, write, key),
    },
    write,
  );
}

async function writeBatch(
  session: SnowflakeSession,
  table: Table,
  batch: RowBatch,
  write: TableWrite,
  key: readonly string[],
): Promise<number> {
  const types = batch.columns.map((column) => table.types.get(column)!);
  const columns = batch.columns.map(quotedColumn);
  const values = columns.map((column, at) => `${valueOf(types[at]!, at)} as ${column}`).join(', ');
  const source = `select ${values} from (select parse_json(?) as v) x, lateral flatten(input => x.v) f`;
  const sql =
    write.mode === 'upsert'
      ? merge(table, columns, key.map(quotedColumn), source)
      : `insert into ${table.sql} (${columns.join(', ')}) ${source}`;
  const rows = batch.rows.map((row) =>
    row.map((value, at) => forColumn(value, types[at]!, batch.columns[at]!)),
  );
  return (await session.execute(sql, [JSON.stringify(rows)], 'write')).changed ?? 0;
}

function merge(table: Table, columns: readonly string[], key: readonly string[], source: string): string {
  const others = columns.filter((column) => !key.includes(column));
  const on = key.map((column) => `t.${column} = s.${column}`).join(' and ');
  const update = others.map((column) => `${column} = s.${column}`).join(', ');
  const insert = columns.map((column) => `s.${column}`).join(', ');
  return (
    `merge into ${table.sql} t using (${source}) s on ${on} ` +
    (update === '' ? '' : `when matched then update set ${update} `) +
    `when not matched then insert (${columns.join(', ')}) values (${insert})`
  );
}

/** Column `at` of a row as the type: VARIANT and similar take it unchanged, others its text. */
function valueOf(type: string, at: number): string {
  const part = `f.value[${at}]`;
  if (/^VARIANT/i.test(type)) return part;
  if (/^(ARRAY|OBJECT|MAP)/i.test(type)) return `${part}::${type}`;
  if (/^BINARY/i.test(type)) return `to_binary(${part}::varchar, 'BASE64')`;
  return `${part}::varchar::${type}`;
}

function forColumn(value: Json, type: string, column: string): Json {
  if (/^(VARIANT|ARRAY|OBJECT|MAP)/i.test(type)) return structured(value);
  if (/^BINARY/i.test(type) && typeof value === 'string') {
    return columnBytes('snowflake', value, column).toString('base64');
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function describe(session: SnowflakeSession, name: TableName): Promise<Table> {
  const sql = name.parts.map((part) => (part.quoted ? quotedColumn(part.name) : part.name)).join('.');
  const { rows } = await session.execute(`describe table ${sql}`, [], 'describe the table');
  const columns: JsonObject[] = [];
  for await (const row of rows) columns.push(row);
  if (columns.length === 0) throw invalidInput(`snowflake: ${name.text} has no columns`, 'INVALID_TABLE');
  return {
    sql,
    columns: columns.map((row) => String(row['name'])),
    types: new Map(columns.map((row) => [String(row['name']), String(row['type'])])),
    primaryKey: columns.filter((row) => row['primary key'] === 'Y').map((row) => String(row['name'])),
  };
}
