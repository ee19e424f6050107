/** The DuckDB parts of a transfer: loaded only when one end is DuckDB, because the package may be missing. */
import { type DuckDBConnection, type DuckDBPreparedStatement, DuckDBTypeId } from '@duckdb/node-api';
import { type Json } from '../../../src/plan';
import { bytesOf } from '../../framework/sql/table/values';
import { bindParameter } from '../duckdb/bind';
import { type Running } from './run-statement';

export { nameFiles, onDatabase, sqlError } from '../duckdb/run';
export { rowsOf } from '../duckdb/rows';
export { openTable } from '../duckdb/table';

/** @param check throws when the task must stop */
export function duckdbStatement(connection: DuckDBConnection, text: string, check: () => void): Running {
  return {
    async begin() {
      await connection.run('begin transaction');
    },
    async run(lists) {
      const prepared = await connection.prepare(text);
      let count = 0;
      try {
        for (const values of lists) {
          check();
          for (const [at, value] of values.entries()) bindDuckdb(prepared, at + 1, value);
          count += (await prepared.run()).rowsChanged;
        }
      } finally {
        prepared.destroySync();
      }
      return count;
    },
    async commit() {
      await connection.run('commit');
    },
  };
}

function bindDuckdb(prepared: DuckDBPreparedStatement, index: number, value: Json): void {
  if (typeof value === 'string' && prepared.parameterTypeId(index) === DuckDBTypeId.BLOB)
    prepared.bindBlob(index, bytesOf('duckdb', value, `$${index}`));
  else if (typeof value === 'object' && value !== null && prepared.parameterType(index).alias === 'JSON')
    prepared.bindVarchar(index, JSON.stringify(value));
  else bindParameter(prepared, index, value);
}
