/** JSON data as parameters of a prepared statement of DuckDB. */
import {
  DuckDBTypeId,
  type DuckDBPreparedStatement,
  type DuckDBValue,
  listValue,
  structValue,
} from '@duckdb/node-api';
import { type Json, type JsonObject } from '../../../../src/language/plan';
import { bytesOfBase64, notBase64 } from '../../../framework/sql/table/base64';
import { Refused } from './refused';

/** A list binds `?` and `$1`, a mapping binds `$name`; a statement gets only what it refers to. */
export function bindParameters(
  prepared: DuckDBPreparedStatement,
  params: Json[] | JsonObject | undefined,
): void {
  if (params === undefined) return;
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const value = Array.isArray(params)
      ? params[Number(name) - 1]
      : Object.hasOwn(params, name)
        ? params[name]
        : undefined;
    if (value === undefined)
      throw new Refused('INVALID_INPUT', `duckdb: the command uses $${name}, which is not in params`);
    bindParameter(prepared, index, value);
  }
}

/** Values of a row, for parameters whose types decide: bytes, JSON. */
export function bindRow(prepared: DuckDBPreparedStatement, values: readonly Json[]): void {
  for (const [at, value] of values.entries()) bindColumn(prepared, at + 1, value);
}

function bindColumn(prepared: DuckDBPreparedStatement, index: number, value: Json): void {
  if (typeof value === 'string' && prepared.parameterTypeId(index) === DuckDBTypeId.BLOB)
    prepared.bindBlob(index, bytesOf(value, `$${index}`));
  else if (typeof value === 'object' && value !== null && prepared.parameterType(index).alias === 'JSON')
    prepared.bindVarchar(index, JSON.stringify(value));
  else bindParameter(prepared, index, value);
}

function bytesOf(value: string, column: string): Buffer {
  const bytes = bytesOfBase64(value);
  if (bytes) return bytes;
  throw new Refused('INVALID_DATA', notBase64('duckdb', column), { column });
}

/** @param index from 1 */
function bindParameter(prepared: DuckDBPreparedStatement, index: number, value: Json): void {
  if (value === null) prepared.bindNull(index);
  else if (typeof value === 'boolean') prepared.bindBoolean(index, value);
  else if (typeof value === 'string') prepared.bindVarchar(index, value);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) prepared.bindBigInt(index, BigInt(value));
    else prepared.bindDouble(index, value);
  } else if (Array.isArray(value) && value.length > 0) prepared.bindValue(index, duckValue(value));
  else prepared.bindVarchar(index, JSON.stringify(value));
}

function duckValue(value: Json): DuckDBValue {
  if (Array.isArray(value)) return listValue(value.map(duckValue));
  if (typeof value === 'object' && value !== null)
    return structValue(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, duckValue(one)])));
  return value;
}
