/** Writes rows into a table: they are sent as one bound JSON value, whose parts DuckDB casts to the column types. */
import { type Json } from '../../../src/language/plan';
import { nearest } from '../../../src/language/template/suggest';
import { asError } from '../../framework/tool/cause';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { type RowBatch, quotedColumn } from '../../framework/sql/table/columns';
import { onConflict } from '../../framework/sql/table/on-conflict';
import { type TableName, type TableWrite } from '../../framework/sql/table/request';
import { columnBytes, structured } from '../../framework/sql/table/values';
import { openForWriting, type OpenTable, type Table } from '../../framework/sql/table/writer';
import { type Connection } from './process/connection';

/** @param check throws when the task must stop */
export function openDuckdbTable(
  connection: Connection,
  write: TableWrite,
  check: () => void,
): Promise<OpenTable> {
  return openForWriting(
    {
      kind: 'duckdb',
      begin: () => connection.run('begin transaction'),
      commit: () => connection.run('commit'),
      check,
      describe: (name) => describe(connection, name),
      deleteAll: ({ sql }) => connection.run(`delete from ${sql}`),
      writeBatch: (table, batch, key) => writeBatch(connection, table, batch, write, key),
    },
    write,
  );
}

async function writeBatch(
  connection: Connection,
  table: Table,
  batch: RowBatch,
  write: TableWrite,
  key: readonly string[],
): Promise<number> {
  const types = batch.columns.map((column) => table.types.get(column)!);
  const values = types.map((type, at) => valueOf(type, at)).join(', ');
  const sql =
    `insert into ${table.sql} (${batch.columns.map(quotedColumn).join(', ')}) ` +
    `select ${values} from (select unnest(cast($1 as json[])) as r)` +
    onConflict(write, batch.columns, key);
  const rows = batch.rows.map((row) =>
    row.map((value, at) => forColumn(value, types[at]!, batch.columns[at]!)),
  );
  try {
    return await connection.run(sql, JSON.stringify(rows));
  } catch (error) {
    if (!/conflict target are not referenced/.test(asError(error).message)) throw error;
    const message = `duckdb: an upsert by (${key.join(', ')}) needs a primary key or a unique index on exactly these columns of ${write.table.text}`;
    throw invalidInput(message, 'NO_UNIQUE_KEY');
  }
}

/** Column `at` of row `r` as the type: nested types read JSON, others its text. */
function valueOf(type: string, at: number): string {
  if (type === 'JSON') return `nullif(r->${at}, 'null'::json)`;
  if (type === 'BLOB') return `from_base64(r->>${at})`;
  const isNested = type.endsWith(']') || /^(STRUCT|MAP|UNION)\(/.test(type);
  return `cast(r->${isNested ? '' : '>'}${at} as ${type})`;
}

function forColumn(value: Json, type: string, column: string): Json {
  if (type === 'JSON') return structured(value);
  return type === 'BLOB' && typeof value === 'string'
    ? columnBytes('duckdb', value, column).toString('base64')
    : value;
}

interface Column {
  readonly column_name: string;
  readonly column_type: string;
  readonly key: string | null;
}

/** DuckDB matches names in any case. */
async function describe(connection: Connection, name: TableName): Promise<Table> {
  const sql = name.parts.map((part) => quotedColumn(part.name)).join('.');
  let rows: readonly Column[];
  try {
    rows = (await connection.query(`describe ${sql}`)) as unknown as readonly Column[];
  } catch (error) {
    throw (await noSuchTable(connection, name, asError(error).message)) ?? error;
  }
  return {
    sql,
    columns: rows.map((row) => row.column_name),
    types: new Map(rows.map((row) => [row.column_name, row.column_type])),
    primaryKey: rows.filter((row) => row.key === 'PRI').map((row) => row.column_name),
  };
}

const TABLES = `
  select case when schema_name = current_schema() then name else schema_name || '.' || name end as name
  from (select schema_name, table_name as name from duckdb_tables()
    union all select schema_name, view_name from duckdb_views() where not internal) limit 1000`;

/** DuckDB's own error shows the statement with which we asked, and suggests tables of the system. */
async function noSuchTable(
  connection: Connection,
  { text }: TableName,
  message: string,
): Promise<ToolError | undefined> {
  if (!/Catalog Error: Table with name .* does not exist/.test(message)) return undefined;
  const rows = await connection.query(TABLES);
  const [database] = await connection.query('select current_database() as name');
  const suggestion = nearest(
    text,
    rows.map((row) => String(row['name'])),
  );
  const advice =
    suggestion !== undefined
      ? `did you mean ${suggestion}?`
      : database?.['name'] === 'memory'
        ? 'a database in memory is empty for every task: name a file in `database`, and create the table there before'
        : 'create it before the task that writes to it';
  return new ToolError({
    kind: 'sql',
    code: 'DUCKDB_CATALOG',
    message: `duckdb: there is no table ${text}; ${advice}`,
  });
}
