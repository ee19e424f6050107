/** JSON data as parameters of a prepared statement of DuckDB. */
import { type DuckDBPreparedStatement, type DuckDBValue, listValue, structValue } from '@duckdb/node-api';
import { isMapping, type Json } from '../../../src/plan';

/** @param index from 1 */
export function bindParameter(prepared: DuckDBPreparedStatement, index: number, value: Json): void {
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
  if (isMapping(value))
    return structValue(
      Object.fromEntries(Object.entries(value).map(([key, one]) => [key, duckValue(one as Json)])),
    );
  return value as DuckDBValue;
}
