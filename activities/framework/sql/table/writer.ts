/** A table open for writing in a transaction: for all data of one task, or for a transfer chunk by chunk. */
import { compact, type JsonObject } from '../../../../src/plan';
import { type TableWrite } from './request';

export interface OpenTable {
  /** Quoted name in the database; null if it is written by a statement. */
  readonly name: string | null;
  /** Rows that `replace` deleted first. */
  readonly deleted: number | undefined;
  /**
   * Runs in a transaction, opening one if needed. @throws ToolError for rows the table cannot hold; the database's own
   * errors
   */
  write(
    rows: readonly JsonObject[],
  ): Promise<{ readonly count: number; readonly columns: readonly string[] }>;
  commit(): Promise<void>;
}

/** @returns `{rows: [], row_count, columns, table, mode}`; `row_count` is the number of rows reported by the server */
export async function writeAll(table: OpenTable, write: TableWrite): Promise<JsonObject> {
  const { count, columns } = await table.write(write.rows);
  await table.commit();
  return {
    rows: [],
    row_count: count,
    columns: [...columns],
    table: table.name,
    mode: write.mode,
    ...compact({ deleted: table.deleted }),
  };
}
