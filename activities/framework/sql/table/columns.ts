/** Maps rows of data to table columns: checks names and groups rows with equal columns. */
import { type Json, type JsonObject } from '../../../../src/language/plan';
import { nearest } from '../../../../src/language/template/suggest';
import { invalidInput } from '../../tool/outcome';
import { type TableWrite } from './request';

/** The table's columns, named as in the database. */
export interface TableColumns {
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
}

/** Rows that one statement can write: all with the same columns, without duplicate keys. */
export interface RowBatch {
  readonly columns: readonly string[];
  /** Values in the order of `columns`. */
  readonly rows: readonly (readonly Json[])[];
}

const MAX_ROWS = 1000;
/** Approximate size in characters of JSON. */
const MAX_SIZE = 4 * 1024 * 1024;

/** The key columns of an upsert. @throws ToolError `NO_KEY`, `NO_SUCH_COLUMN` */
export function keyColumns(kind: string, write: TableWrite, table: TableColumns): readonly string[] {
  if (write.mode !== 'upsert') return [];
  if (write.key) return write.key.map((name) => columnOf(kind, write, table, name, 'key'));
  if (table.primaryKey.length > 0) return table.primaryKey;
  const message = `${kind}: an upsert into ${write.table.text} needs a key: the table has no primary key, so name the columns with \`key\``;
  throw invalidInput(message, 'NO_KEY');
}

/**
 * Splits the rows, in order. A column missing from a row gets the table's default; a repeated key starts a new batch,
 * so that the last row with a key wins, as if each were written separately.
 *
 * @throws ToolError `NO_SUCH_COLUMN`, `MISSING_KEY`, `DUPLICATE_COLUMN`
 */
export function batches(
  kind: string,
  write: TableWrite,
  table: TableColumns,
  key: readonly string[],
): RowBatch[] {
  const all: { columns: readonly string[]; rows: Json[][]; size: number; keys: Set<string> }[] = [];
  const shapes = new Map<string, readonly string[]>();
  for (const [index, row] of write.rows.entries()) {
    const names = Object.keys(row);
    const shape = JSON.stringify(names);
    let columns = shapes.get(shape);
    if (!columns) {
      columns = rowColumns(kind, write, table, key, names, index);
      shapes.set(shape, columns);
    }
    const values = names.map((name) => row[name] ?? null);
    const id = key.length === 0 ? undefined : rowKey(kind, columns, values, key, index);
    let batch = all.at(-1);
    if (
      !batch ||
      batch.columns !== columns ||
      batch.rows.length >= MAX_ROWS ||
      batch.size >= MAX_SIZE ||
      (id !== undefined && batch.keys.has(id))
    ) {
      batch = { columns, rows: [], size: 0, keys: new Set() };
      all.push(batch);
    }
    batch.rows.push(values);
    batch.size += rowSize(values);
    if (id !== undefined) batch.keys.add(id);
  }
  return all;
}

function rowColumns(
  kind: string,
  write: TableWrite,
  table: TableColumns,
  key: readonly string[],
  names: readonly string[],
  index: number,
): readonly string[] {
  const columns = names.map((name) => columnOf(kind, write, table, name, `data[${index}]`));
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) {
    throw invalidInput(`${kind}: data[${index}] has a duplicate column \`${twice}\``, 'DUPLICATE_COLUMN');
  }
  const missing = key.find((column) => !columns.includes(column));
  if (missing === undefined) return columns;
  throw missingKey(kind, missing, index, 'does not have it');
}

function rowKey(
  kind: string,
  columns: readonly string[],
  values: readonly Json[],
  key: readonly string[],
  index: number,
): string {
  const parts = key.map((column) => values[columns.indexOf(column)] ?? null);
  const at = parts.indexOf(null);
  if (at >= 0) throw missingKey(kind, key[at]!, index, 'has null there');
  // 1 and '1' are the same value in an integer column.
  return JSON.stringify(parts.map((part) => (typeof part === 'object' ? part : String(part))));
}

function missingKey(kind: string, column: string, index: number, why: string): Error {
  const message = `${kind}: the upsert's key is \`${column}\`, and data[${index}] ${why}`;
  return invalidInput(message, 'MISSING_KEY', { column, row: index });
}

function columnOf(kind: string, write: TableWrite, table: TableColumns, name: string, place: string): string {
  if (table.columns.includes(name)) return name;
  const folded = table.columns.filter((column) => column.toLowerCase() === name.toLowerCase());
  if (folded.length === 1) return folded[0]!;
  const suggestion = nearest(name, table.columns);
  const hint = suggestion
    ? `did you mean \`${suggestion}\`?`
    : `its columns are ${table.columns.slice(0, 40).join(', ') || 'none'}`;
  const inputs = write.fromInputs
    ? '; the row consists of the inputs of the task, add `data` to choose what is stored'
    : '';
  const message = `${kind}: table ${write.table.text} has no column \`${name}\` (${place}); ${hint}${inputs}`;
  throw invalidInput(message, 'NO_SUCH_COLUMN', { column: name });
}

/** The approximate size of a row's values in bytes: texts and JSON by their characters, anything else 8. */
export function rowSize(values: readonly Json[]): number {
  let size = 0;
  for (const value of values) {
    size +=
      typeof value === 'string'
        ? value.length
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value).length
          : 8;
  }
  return size;
}

/** Writes the batches in order; returns the number of rows and the columns written. */
export async function writeBatches(
  all: readonly RowBatch[],
  check: () => void,
  write: (batch: RowBatch) => Promise<number>,
): Promise<{ count: number; columns: string[] }> {
  let count = 0;
  for (const batch of all) {
    check();
    count += await write(batch);
  }
  return { count, columns: [...new Set(all.flatMap((batch) => batch.columns))] };
}

/** Rows as mappings, for databases that read JSON by name. */
export function asObjects(batch: RowBatch): JsonObject[] {
  return batch.rows.map((values) =>
    Object.fromEntries(batch.columns.map((column, at) => [column, values[at] ?? null])),
  );
}

/** The name as SQL. */
export function quotedColumn(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
