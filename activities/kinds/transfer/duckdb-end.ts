/** The DuckDB parts of a transfer. */
import { type Connection } from '../duckdb/process/connection';
import { type Running } from './run-statement';

/** @param check throws when the task must stop */
export function duckdbStatement(connection: Connection, text: string, check: () => void): Running {
  let isPrepared = false;
  return {
    async begin() {
      await connection.run('begin transaction');
    },
    async run(lists) {
      check();
      if (!isPrepared) await connection.prepare(text);
      isPrepared = true;
      return connection.execute([...lists]);
    },
    async commit() {
      await connection.run('commit');
    },
  };
}
