/**
 * Writes rows into a table: `insert`, `upsert` by a key, `replace` of all, in one transaction. The rows are sent as one
 * bound JSON value, whose parts Snowflake casts to the column types.
 */
import { type Json, type JsonObject } from '../../../src/plan';
import { invalid } from '../../framework/tool/outcome';
import {
  type Batch,
  batches,
  writeBatches,
  keyColumns,
  type TableColumns,
} from '../../framework/sql/table/columns';
import { type TableName, type TableWrite } from '../../framework/sql/table/request';
import { bytesOf, structured } from '../../framework/sql/table/values';
import { type OpenTable } from '../../framework/sql/table/writer';
import { type Session } from './connection';

interface Table extends TableColumns {
  /** Quoted. */
  readonly sql: string;
  readonly types: ReadonlyMap<string, string>;
}

/** The first write opens the transaction if one is needed: a single MERGE is atomic. */
export async function openTable(session: Session, write: TableWrite): Promise<OpenTable> {
  const table = await describe(session, write.table);
  const key = keyColumns('snowflake', write, table);
  let isOpen = false;
  const begin = async (): Promise<void> => {
    if (!isOpen) await session.execute('begin', [], 'begin');
    isOpen = true;
  };
  let deleted: number | undefined;
  if (write.mode === 'replace') {
    await begin();
    deleted = (await session.execute(`delete from ${table.sql}`, [], 'replace')).changed;
  }
  return {
    name: table.sql,
    deleted,
    async write(rows) {
      const all = batches('snowflake', { ...write, rows }, table, key);
      if (write.mode !== 'upsert' || all.length > 1) await begin();
      return await writeBatches(
        all,
        () => session.check(),
        (batch) => writeBatch(session, table, batch, write, key),
      );
    },
    async commit() {
      if (isOpen) await session.execute('commit', [], 'commit');
      isOpen = false;
    },
  };
}

async function writeBatch(
  session: Session,
  table: Table,
  batch: Batch,
  write: TableWrite,
  key: readonly string[],
): Promise<number> {
  const types = batch.columns.map((column) => table.types.get(column)!);
  const columns = batch.columns.map(quoted);
  const values = columns.map((column, at) => `${valueOf(types[at]!, at)} as ${column}`).join(', ');
  const source = `select ${values} from (select parse_json(?) as v) x, lateral flatten(input => x.v) f`;
  const sql =
    write.mode === 'upsert'
      ? merge(table, columns, key.map(quoted), source)
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
    return bytesOf('snowflake', value, column).toString('base64');
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function describe(session: Session, name: TableName): Promise<Table> {
  const sql = name.parts.map((part) => (part.quoted ? quoted(part.name) : part.name)).join('.');
  const { rows } = await session.execute(`describe table ${sql}`, [], 'describe the table');
  const columns: JsonObject[] = [];
  for await (const row of rows) columns.push(row);
  if (columns.length === 0) throw invalid(`snowflake: ${name.text} has no columns`, 'INVALID_TABLE');
  return {
    sql,
    columns: columns.map((row) => String(row['name'])),
    types: new Map(columns.map((row) => [String(row['name']), String(row['type'])])),
    primaryKey: columns.filter((row) => row['primary key'] === 'Y').map((row) => String(row['name'])),
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
