/**
 * Tool kind `duckdb`: SQL on a DuckDB in a process beside the worker, `:memory:` (a fresh one each time) or a file. The result has the shape
 * of the postgres kind: `{rows, row_count, columns}` of the last statement, and `command_<n>` of each. With `table`
 * instead of SQL it writes rows (duckdb/table.ts).
 */
import {
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { asError } from '../../framework/tool/cause';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { confine, levelFor } from './confine';
import { withConnection } from './instances';
import { attachLake } from './lake';
import { type Connection, type DuckdbResult } from './process/connection';
import { closeProcesses } from './process/pool';
import { createSecrets, secretsOfTask } from './secrets';
import { openDuckdbTable } from './table';
import { booleanField, field, numberField, textField, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput, succeeded, ToolError } from '../../framework/tool/outcome';
import { refuseListIn } from '../../framework/sql/list-parameter';
import { splitStatements } from '../../framework/sql/split';
import { SQL_TEXT_FIELDS, sqlTexts } from '../../framework/sql/sql-text';
import { tableWrite } from '../../framework/sql/table/request';
import { writeAll } from '../../framework/sql/table/writer';
import { type Files, folderOfFiles, movedTo, withFiles } from '../../framework/results/files';
import { FILES_INSIDE, type Isolation, type Level, levelOf, limitsOf, metaOf } from '../../framework/sandbox';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

/** Maximum size of rows in the worker's memory, approximately, in bytes. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;
/** With less memory DuckDB cannot even open a file. */
const MIN_MEMORY_MB = 16;

export const duckdb: Tool = {
  kind: 'duckdb',
  run: (call, context) =>
    withDeadline(call, context.signal, (deadline) =>
      withFiles(call, context, deadline, (files) =>
        execute(call, files, { ...context, signal: deadline.signal }, deadline),
      ),
    ),
  close: closeProcesses,
};

async function execute(
  call: TaskCall,
  files: Files,
  context: ToolContext,
  deadline: Deadline,
): Promise<Outcome> {
  const write = tableWrite(call, 3, SQL_TEXT_FIELDS);
  const result = write
    ? await onDatabase(call, { ...context, files }, deadline, undefined, async (connection) =>
        writeAll(await openDuckdbTable(connection, write, deadline.check), write),
      )
    : await runCommands(call, files, context, deadline);
  return succeeded(result, { meta: metaOf(isolationIn(call)) });
}

async function runCommands(
  call: TaskCall,
  files: Files,
  context: ToolContext,
  deadline: Deadline,
): Promise<JsonObject> {
  const commands = await sqlTexts(call, context);
  const params = field(call.config, 'params', 'parameters');
  if (params !== undefined && !Array.isArray(params) && !isMapping(params)) {
    throw invalidInput(`duckdb: params must be a list or a mapping, not ${jsonTypeName(params)}`);
  }
  for (const command of commands) refuseLists(command, params);
  const asObjects = booleanField(call, ['as_objects'], true);
  const results: JsonObject[] = [];
  await onDatabase(call, { ...context, files }, deadline, results, async (connection) => {
    connection.digitsLost = context.digitsLost;
    for (const command of commands)
      await runCommand(connection, command, { params, asObjects }, deadline.check, results);
  });
  const named = results.map((one, index) => [`command_${index}`, { status: 'success', ...one }] as const);
  return { ...results.at(-1), ...Object.fromEntries(named) };
}

/** `IN ($list)` fails on most columns, and on a table without rows nobody notices. @throws ToolError `INVALID_PARAMS` */
function refuseLists(sql: string, params: Json[] | JsonObject | undefined): void {
  if (params === undefined) return;
  const marks = Array.isArray(params) ? ['?'] : Object.keys(params).map((name) => `$${name}`);
  for (const statement of splitStatements(sql, marks))
    for (const parameter of statement.parameters) {
      const name = statement.text.slice(parameter.start + 1, parameter.end);
      const value = Array.isArray(params) ? params[Number(parameter.name) - 1] : params[name];
      refuseListIn(statement, parameter, value, (list, not) => (not ? `<> ALL(${list})` : `= ANY(${list})`));
    }
}

/** SQL reads the path of a file with `getvariable('name')`. */
async function nameFiles(connection: Connection, files: Files): Promise<void> {
  // Names are validated (stored/files.ts), but a path may contain a quote.
  for (const [name, file] of Object.entries(files))
    await connection.run(`set variable "${name}" = '${file.replaceAll("'", "''")}'`);
}

/**
 * Runs `work` on the database named by the call's fields; interrupted when the task must stop.
 *
 * @param done what was completed before an error, so that the error can name the statement
 * @throws ToolError for any failure
 */
export async function onDatabase<T>(
  call: TaskCall,
  context: Pick<ToolContext, 'credentials' | 'waitFor'> & { readonly files?: Files },
  deadline: Deadline,
  done: readonly unknown[] | undefined,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const database = textField(call, 'database', 'db_path', 'path') ?? ':memory:';
  // Empty as long as the task has not begun in its sandbox.
  let meta: JsonObject = {};
  try {
    const secrets = await secretsOfTask(call, context);
    const memory = memoryOf(call);
    const level = await levelFor(call, database, secrets.length > 0);
    const alone = secrets.length > 0 || memory !== undefined;
    const { signal } = deadline;
    const task = `${call.execution_id} ${call.step} ${call.task}`;
    const shown = filesOf(context.files ?? {}, level);
    const use = { task, level, folder: folderOfFiles(context.files ?? {}), alone, signal };
    const waiting = { ...use, ...(context.waitFor && { waitFor: context.waitFor }) };
    return await withConnection(database, waiting, async (connection) => {
      meta = metaOf(isolationIn(call));
      if (memory !== undefined) await connection.run(`set memory_limit = '${memory}MB'`);
      await createSecrets(connection, secrets);
      await nameFiles(connection, shown);
      await attachLake(connection, call);
      if (level !== 'none') await confine(connection, folderOfFiles(shown));
      return work(connection);
    });
  } catch (error) {
    const failure = error instanceof ToolError ? error : sqlError(error, done?.length);
    throw deadline.reason({ meta }) ?? failure.with(meta);
  }
}

/** The task's files where DuckDB has them. */
function filesOf(files: Files, level: Level): Files {
  return level === 'none' ? files : movedTo(FILES_INSIDE, files);
}

function isolationIn(call: TaskCall): Isolation | undefined {
  const level = levelOf(call);
  return level === 'none' ? undefined : level;
}

/** Memory limit of the database in megabytes; beyond it, data is spilled to temporary files or the query fails. */
function memoryOf(call: TaskCall): number | undefined {
  const memory = numberField(call, ['memory_mb'], 0);
  if (memory === 0) return undefined;
  const most = levelOf(call) === 'none' ? Infinity : limitsOf().memoryMb;
  if (memory > most)
    throw invalidInput(
      `duckdb: memory_mb must be at most ${most} in a sandbox (NOETL_SANDBOX_MEMORY_MB of the worker), not ${memory}`,
    );
  if (memory >= MIN_MEMORY_MB) return Math.floor(memory);
  throw invalidInput(
    `duckdb: memory_mb must be at least ${MIN_MEMORY_MB}, which DuckDB itself needs, not ${memory}`,
  );
}

async function runCommand(
  connection: Connection,
  sql: string,
  { params, asObjects }: { params: Json[] | JsonObject | undefined; asObjects: boolean },
  check: () => void,
  results: JsonObject[],
): Promise<void> {
  const count = await connection.extract(sql);
  for (let index = 0; index < count; index++) {
    check();
    // Prepared one at a time: a statement may need a table created by the one before.
    const result = await readAll(await connection.start(index, params));
    results.push(asObjects ? { ...result } : withLists(result));
  }
}

interface StatementResult {
  readonly rows: JsonObject[];
  readonly row_count: number;
  readonly columns: string[];
}

async function readAll(result: DuckdbResult): Promise<StatementResult> {
  const { columns } = result;
  const rows: JsonObject[] = [];
  let bytes = 0;
  for await (const portion of result.portions()) {
    bytes += portion.size;
    if (bytes > MAX_ROW_BYTES) {
      const message = `duckdb: the rows take more than ${MAX_ROW_BYTES / 1024 / 1024} MiB; select fewer rows or columns, or copy them to a file`;
      throw invalidInput(message, 'RESULT_TOO_LARGE');
    }
    for (const row of portion.rows) rows.push(row);
  }
  // DuckDB answers writes with one row {Count}, but users expect row_count.
  return columns.length === 1 && columns[0] === 'Count' && result.changed > 0
    ? { rows: [], row_count: result.changed, columns: [] }
    : { rows, row_count: rows.length, columns };
}

/** `as_objects: false`: each row is a list of its values, in the order of `columns`. */
function withLists(result: StatementResult): JsonObject {
  const { rows, columns } = result;
  return { ...result, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}

/** DuckDB's messages begin with the type: 'Catalog Error: …' → DUCKDB_CATALOG. */
export function sqlError(error: unknown, index: number | undefined): ToolError {
  const text = asError(error).message.replace(/^Failed to \w+ statements?: /, '');
  const type = /^([A-Za-z ]+?) Error:/.exec(text)?.[1]?.toUpperCase().replaceAll(' ', '_') ?? 'ERROR';
  // Locks and conflicts are transient, and so may be a full disk, as in Postgres (53100).
  const retryable =
    /lock on file|^TransactionContext|write-write conflict|Transaction conflict|No space left/i.test(text);
  return new ToolError({
    kind: 'sql',
    code: `DUCKDB_${type}`,
    message: index === undefined ? `duckdb: ${text}` : `command_${index}: ${text}`,
    retryable,
  });
}
