/**
 * Tool kind `duckdb`: SQL on an embedded DuckDB, `:memory:` (a fresh one each time) or a file. The result has the shape
 * of the postgres kind: `{rows, row_count, columns}` of the last statement, and `command_<n>` of each. With `table`
 * instead of SQL it writes rows (duckdb/table.ts).
 */
import { type DuckDBConnection, type DuckDBPreparedStatement } from '@duckdb/node-api';
import { isMapping, type Json, type JsonObject, type Outcome, type TaskCall } from '../src/plan';
import { asError } from './cause';
import { type Deadline, withDeadline } from './deadline';
import { bindParameter } from './duckdb/bind';
import { withConnection } from './duckdb/instances';
import { rowsOf } from './duckdb/rows';
import { openTable } from './duckdb/table';
import { field, textField, typeName } from './fields';
import { invalid, succeeded, ToolError } from './outcome';
import { SQL_FIELDS, sqlTexts } from './sql-text';
import { tableWrite } from './table/request';
import { writeAll } from './table/writer';
import { type Tool } from './tool';

/** Rows kept in the worker's memory, roughly in bytes. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

export const duckdb: Tool = {
  kind: 'duckdb',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, deadline)),
};

async function execute(call: TaskCall, deadline: Deadline): Promise<Outcome> {
  const write = tableWrite(call, 3, SQL_FIELDS);
  const check = (): void => {
    const stopped = deadline.reason();
    if (stopped) throw stopped;
  };
  const result = write
    ? await onDatabase(call, deadline, undefined, async (connection) =>
        writeAll(await openTable(connection, write, check), write),
      )
    : await runCommands(call, deadline, check);
  return succeeded(result);
}

async function runCommands(call: TaskCall, deadline: Deadline, check: () => void): Promise<JsonObject> {
  const commands = await sqlTexts(call, deadline.signal);
  const params = field(call.config, 'params', 'parameters');
  if (params !== undefined && !Array.isArray(params) && !isMapping(params)) {
    throw invalid(`duckdb: params must be a list or a mapping, not ${typeName(params)}`);
  }
  const results: JsonObject[] = [];
  await onDatabase(call, deadline, results, async (connection) => {
    for (const command of commands) await runCommand(connection, command, params, check, results);
  });
  const named = results.map((one, index) => [`command_${index}`, { status: 'success', ...one }] as const);
  return { ...results.at(-1), ...Object.fromEntries(named) };
}

/**
 * Runs `work` on the database of the call's fields, interrupted when the task has to stop.
 *
 * @param done what was done before an error, so that it can name the statement
 * @throws ToolError for whatever goes wrong
 */
export async function onDatabase<T>(
  call: TaskCall,
  deadline: Deadline,
  done: readonly unknown[] | undefined,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const database = textField(call, 'database', 'db_path', 'path') ?? ':memory:';
  try {
    return await withConnection(database, async (connection) => {
      const interrupt = (): void => connection.interrupt();
      deadline.signal.addEventListener('abort', interrupt, { once: true });
      try {
        return await work(connection);
      } finally {
        deadline.signal.removeEventListener('abort', interrupt);
      }
    });
  } catch (error) {
    throw deadline.reason() ?? (error instanceof ToolError ? error : sqlError(error, done?.length));
  }
}

async function runCommand(
  connection: DuckDBConnection,
  sql: string,
  params: Json[] | JsonObject | undefined,
  check: () => void,
  results: JsonObject[],
): Promise<void> {
  const statements = await connection.extractStatements(sql);
  for (let index = 0; index < statements.count; index++) {
    check();
    // Prepared one after the other: a statement may need the table that the one before it creates.
    const prepared = await statements.prepare(index);
    try {
      bindParams(prepared, params);
      results.push(await runStatement(prepared));
    } finally {
      prepared.destroySync();
    }
  }
}

async function runStatement(prepared: DuckDBPreparedStatement): Promise<JsonObject> {
  const result = await prepared.stream();
  const columns = result.deduplicatedColumnNames();
  const rows: JsonObject[] = [];
  let bytes = 0;
  for await (const row of rowsOf(result)) {
    bytes += JSON.stringify(row).length;
    if (bytes > MAX_ROW_BYTES) {
      const message = `duckdb: the rows take more than ${MAX_ROW_BYTES / 1024 / 1024} MiB; select fewer rows or columns, or copy them to a file`;
      throw invalid(message, 'RESULT_TOO_LARGE');
    }
    rows.push(row);
  }
  // DuckDB answers writes with one row {Count}; what people look for is row_count.
  const changed = result.rowsChanged;
  return columns.length === 1 && columns[0] === 'Count' && changed > 0
    ? { rows: [], row_count: changed, columns: [] }
    : { rows, row_count: rows.length, columns };
}

/** A list answers `?` and `$1`, a mapping `$name`; a statement gets what it refers to. */
function bindParams(prepared: DuckDBPreparedStatement, params: Json[] | JsonObject | undefined): void {
  if (params === undefined) return;
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const found = Array.isArray(params)
      ? params[Number(name) - 1]
      : Object.hasOwn(params, name)
        ? params[name]
        : undefined;
    if (found === undefined) throw invalid(`duckdb: the command uses $${name}, which params does not have`);
    bindParameter(prepared, index, found);
  }
}

/** DuckDB names the type first: 'Catalog Error: …' → DUCKDB_CATALOG. */
export function sqlError(error: unknown, index: number | undefined): ToolError {
  const text = asError(error).message.replace(/^Failed to \w+ statements?: /, '');
  const type = /^([A-Za-z ]+?) Error:/.exec(text)?.[1]?.toUpperCase().replaceAll(' ', '_') ?? 'ERROR';
  const retryable = /lock on file|^TransactionContext|write-write conflict|Transaction conflict/i.test(text);
  return new ToolError({
    kind: 'sql',
    code: `DUCKDB_${type}`,
    message: index === undefined ? `duckdb: ${text}` : `command_${index}: ${text}`,
    retryable,
  });
}
