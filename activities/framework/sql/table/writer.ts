/** A table open for writing in a transaction: for all data of one task, or for a transfer chunk by chunk. */
import { compact, type JsonObject } from '../../../../src/language/plan';
import { type RowBatch, batches, keyColumns, type TableColumns, writeBatches } from './columns';
import { type TableName, type TableWrite } from './request';

/** A table as its database describes it. */
export interface Table extends TableColumns {
  /** Its name, quoted. */
  readonly sql: string;
  readonly types: ReadonlyMap<string, string>;
}

/** What a database does to write into a table. */
export interface TableDatabase<T extends Table = Table> {
  readonly kind: string;
  /** An upsert of one batch is atomic by itself, so a transaction begins only when something needs one. */
  readonly mergesAtomically?: boolean;
  begin(): Promise<unknown>;
  commit(): Promise<unknown>;
  /** @throws when the task must stop */
  check(): void;
  /** @throws ToolError if there is no such table */
  describe(name: TableName): Promise<T>;
  /** @throws ToolError if the table cannot be upserted into by these columns */
  checkKey?(table: T, key: readonly string[]): void;
  /** @returns the number of rows */
  deleteAll(table: T): Promise<number | undefined>;
  writeBatch(table: T, batch: RowBatch, key: readonly string[]): Promise<number>;
}

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

/** `insert`, `upsert` by a key, or `replace` of all. Opens the first transaction; the caller commits. */
export async function openForWriting<T extends Table>(
  database: TableDatabase<T>,
  write: TableWrite,
): Promise<OpenTable> {
  let isOpen = false;
  const begin = async (): Promise<void> => {
    if (!isOpen) await database.begin();
    isOpen = true;
  };
  if (!database.mergesAtomically) await begin();
  const table = await database.describe(write.table);
  const key = keyColumns(database.kind, write, table);
  if (write.mode === 'upsert') database.checkKey?.(table, key);
  let deleted: number | undefined;
  if (write.mode === 'replace') {
    await begin();
    deleted = await database.deleteAll(table);
  }
  return {
    name: table.sql,
    deleted,
    async write(rows) {
      const all = batches(database.kind, { ...write, rows }, table, key);
      if (!database.mergesAtomically || write.mode !== 'upsert' || all.length > 1) await begin();
      return await writeBatches(all, database.check, (batch) => database.writeBatch(table, batch, key));
    },
    async commit() {
      if (isOpen) await database.commit();
      isOpen = false;
    },
  };
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
