/** A table open for writing, in a transaction: what one task writes at once, and a transfer chunk by chunk. */
import { type JsonObject } from '../../../../src/plan';
import { type TableWrite } from './request';

export interface OpenTable {
  /** As the database knows it, quoted; null where a statement stands for it. */
  readonly name: string | null;
  /** Rows that `replace` removed before. */
  readonly deleted: number | undefined;
  /** In a transaction that it opens where none is. @throws ToolError for rows the table cannot take; the database's own errors */
  write(
    rows: readonly JsonObject[],
  ): Promise<{ readonly count: number; readonly columns: readonly string[] }>;
  commit(): Promise<void>;
}

/** @returns `{rows: [], row_count, columns, table, mode}`; `row_count` is how many rows the server says it wrote */
export async function writeAll(table: OpenTable, write: TableWrite): Promise<JsonObject> {
  const { count, columns } = await table.write(write.rows);
  await table.commit();
  return {
    rows: [],
    row_count: count,
    columns: [...columns],
    table: table.name,
    mode: write.mode,
    ...(table.deleted !== undefined && { deleted: table.deleted }),
  };
}
