/** One statement on one connection: rows as JSON data, bounded in size. */
import { type FieldDef, Query, type PoolClient, type QueryResult } from 'pg';
import { type Json, type JsonObject } from '../../../src/plan';
import { sizeOf } from '../../framework/sql/table/columns';
import { invalid } from '../../framework/tool/outcome';
import { type Bound } from './bind';
import { computedNumber, exactNumber, NUMERIC, valueTypes } from './values';

export interface StatementResult {
  readonly rows: JsonObject[];
  readonly row_count: number;
  readonly columns: string[];
}

/** Maximum size of rows in the worker's memory, approximately, in bytes. A task may return far less. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;
/** What a row takes besides its values. */
const ROW_BYTES = 16;

/** @param tooLarge called once when the rows exceed the limit; it is expected to end the statement */
export function runStatement(
  client: PoolClient,
  bound: Bound,
  tooLarge: () => void,
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    const query = new Query({
      text: bound.text,
      types: valueTypes,
      ...(bound.values.length && { values: bound.values }),
    });
    const rows: JsonObject[] = [];
    let bytes = 0;
    let fields: FieldDef[] | undefined;
    let numerics: FieldDef[] = [];
    query.on('row', (row: JsonObject, result: unknown) => {
      if (bytes > MAX_ROW_BYTES) return;
      const current = (result as QueryResult).fields;
      if (current !== fields) {
        fields = current;
        numerics = current.filter((field) => field.dataTypeID === NUMERIC);
      }
      for (const field of numerics) row[field.name] = numeric(row[field.name], field);
      bytes += ROW_BYTES + sizeOf(Object.values(row));
      rows.push(row);
      if (bytes > MAX_ROW_BYTES) tooLarge();
    });
    query.on('error', (error: Error) => {
      reject(bytes > MAX_ROW_BYTES ? tooMany() : error);
    });
    query.on('end', (ended: unknown) => {
      if (bytes > MAX_ROW_BYTES) return reject(tooMany());
      const all = ended as QueryResult | QueryResult[];
      const last = Array.isArray(all) ? all.at(-1) : all;
      resolve({
        rows,
        row_count: last?.rowCount ?? rows.length,
        columns: (last?.fields ?? []).map((field) => field.name),
      });
    });
    client.query(query);
  });
}

/** A table column keeps its exact value; a computed one is a number (values.ts). */
function numeric(value: Json | undefined, field: FieldDef): Json {
  if (typeof value !== 'string') return value ?? null;
  return field.tableID === 0 ? computedNumber(value) : exactNumber(value);
}

function tooMany(): Error {
  return invalid(
    `postgres: the rows take more than ${MAX_ROW_BYTES / 1024 / 1024} MiB; select fewer rows or columns, or paginate`,
    'RESULT_TOO_LARGE',
  );
}
