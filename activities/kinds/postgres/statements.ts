/** One statement on one connection: rows as JSON data, bounded in size. */
import {
  DatabaseError,
  type FieldDef,
  Query,
  type QueryArrayConfig,
  type PoolClient,
  type QueryResult,
} from 'pg';
import { type Json, type JsonObject } from '../../../src/language/plan';
import { type DigitsLost } from '../../../src/language/plan/json-text';
import { rowSize } from '../../framework/sql/table/columns';
import { invalidInput } from '../../framework/tool/outcome';
import { type Bound, placeholderHint } from './bind';
import { computedNumber, exactNumber, NUMERIC, valueTypes } from './values';

export interface StatementResult {
  readonly rows: JsonObject[];
  readonly row_count: number;
  readonly columns: string[];
}

/** Maximum size of rows in the worker's memory, approximately, in bytes. A task may return far less. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;
const SYNTAX_ERROR = '42601';
/** What a row takes besides its values. */
const ROW_BYTES = 16;

/** @param session `cancel` is called once when the rows exceed the limit; it is expected to end the statement */
export function runStatement(
  { client, cancel }: { readonly client: PoolClient; cancel(): void },
  bound: Bound,
  digitsLost?: DigitsLost,
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    // Rows as lists: of two columns with one name, an object would keep the second.
    const config: QueryArrayConfig = {
      text: bound.text,
      rowMode: 'array',
      types: valueTypes(digitsLost),
      ...(bound.values.length && { values: bound.values }),
    };
    const query = new Query<Json[]>(config);
    const rows: JsonObject[] = [];
    let bytes = 0;
    let fields: FieldDef[] | undefined;
    let names: string[] = [];
    let numerics: [number, FieldDef][] = [];
    query.on('row', (values: Json[], result: unknown) => {
      if (bytes > MAX_ROW_BYTES) return;
      const current = (result as QueryResult).fields;
      if (current !== fields) {
        fields = current;
        names = distinctNames(current.map(({ name }) => name));
        numerics = [...current.entries()].filter(([, field]) => field.dataTypeID === NUMERIC);
      }
      for (const [i, field] of numerics) values[i] = numeric(values[i]!, field);
      const row: JsonObject = Object.fromEntries(names.map((name, i) => [name, values[i]!]));
      bytes += ROW_BYTES + rowSize(values);
      rows.push(row);
      if (bytes > MAX_ROW_BYTES) cancel();
    });
    query.on('error', (error: Error) => {
      if (error instanceof DatabaseError && error.code === SYNTAX_ERROR)
        error.hint ??= placeholderHint(bound, Number(error.position));
      reject(bytes > MAX_ROW_BYTES ? tooMany() : error);
    });
    query.on('end', (ended: unknown) => {
      if (bytes > MAX_ROW_BYTES) return reject(tooMany());
      const all = ended as QueryResult | QueryResult[];
      const last = Array.isArray(all) ? all.at(-1) : all;
      resolve({
        rows,
        row_count: last?.rowCount ?? rows.length,
        columns: distinctNames((last?.fields ?? []).map(({ name }) => name)),
      });
    });
    client.query(query);
  });
}

/** `id`, `id:1`, as DuckDB names columns of the same name (a join with `*`). */
function distinctNames(names: readonly string[]): string[] {
  if (new Set(names).size === names.length) return [...names];
  const taken = new Set<string>(names);
  const used = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let n = 1; used.has(distinct) || (distinct !== name && taken.has(distinct)); n++)
      distinct = `${name}:${n}`;
    used.add(distinct);
    return distinct;
  });
}

/** A table column keeps its exact value; a computed one is a number (values.ts). */
function numeric(value: Json, field: FieldDef): Json {
  if (typeof value !== 'string') return value;
  return field.tableID === 0 ? computedNumber(value) : exactNumber(value);
}

function tooMany(): Error {
  return invalidInput(
    `postgres: the rows take more than ${MAX_ROW_BYTES / 1024 / 1024} MiB; select fewer rows or columns, or paginate`,
    'RESULT_TOO_LARGE',
  );
}
