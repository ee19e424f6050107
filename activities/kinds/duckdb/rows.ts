/** Rows of a result as JSON data, read on demand in DuckDB's own chunks. */
import { type DuckDBResult } from '@duckdb/node-api';
import { type JsonObject } from '../../../src/plan';
import { toJson } from './values';

export async function* rowsOf(result: DuckDBResult): AsyncGenerator<JsonObject> {
  const columns = result.deduplicatedColumnNames();
  const types = result.columnTypes();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return;
    for (const values of chunk.getRows()) {
      yield Object.fromEntries(values.map((value, at) => [columns[at]!, toJson(value, types[at])]));
    }
  }
}
