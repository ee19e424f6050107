/**
 * Tool kind `snowflake`: one or several statements, or rows for a table, in a session of its own, through Snowflake's
 * driver. The result has the shape of the postgres kind: `{rows, row_count, columns}` of the last statement, and
 * `command_<n>` of each.
 */
import { type Bind } from 'snowflake-sdk';
import {
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Credential } from '../../framework/credentials/credential';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput, succeeded } from '../../framework/tool/outcome';
import { refuseListIn } from '../../framework/sql/list-parameter';
import { splitStatements, type Statement } from '../../framework/sql/split';
import { type SnowflakeResult, type SnowflakeSession, withSnowflake } from './connection';
import { openSnowflakeTable } from './table';
import { type ScriptContext } from '../../framework/scripts/load';
import { SQL_TEXT_FIELDS, sqlTexts } from '../../framework/sql/sql-text';
import { tableWrite } from '../../framework/sql/table/request';
import { writeAll } from '../../framework/sql/table/writer';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

/** Maximum size of rows in the worker's memory, approximately, in bytes. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

export const snowflake: Tool = {
  kind: 'snowflake',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const work = await workOf(call, { ...context, signal: deadline.signal });
  const result = await withSnowflake(call, await snowflakeCredential(call, context), deadline, (session) => {
    session.digitsLost = context.digitsLost;
    return work(session);
  });
  return succeeded(result);
}

/** @throws ToolError `NO_CREDENTIAL`, `CREDENTIAL_UNSUITABLE` */
export async function snowflakeCredential(call: TaskCall, context: ToolContext): Promise<Credential> {
  const credential = await resolveAuth(call, context.credentials);
  if (credential) return credential;
  throw invalidInput('snowflake: no credential named (auth or credential)', 'NO_CREDENTIAL');
}

/** Parses the fields; invalid ones are reported before connecting. */
async function workOf(
  call: TaskCall,
  context: ScriptContext,
): Promise<(session: SnowflakeSession) => Promise<JsonObject>> {
  const write = tableWrite(call, 3, SQL_TEXT_FIELDS);
  if (write) return async (session) => writeAll(await openSnowflakeTable(session, write), write);
  const params = field(call.config, 'params', 'parameters');
  if (params !== undefined && !Array.isArray(params) && !isMapping(params)) {
    throw invalidInput(`snowflake: params must be a list or a mapping, not ${jsonTypeName(params)}`);
  }
  const texts = await sqlTexts(call, context);
  const statements = texts.flatMap(splitCommand).map((statement) => bind(statement, params));
  if (statements.length === 0) throw invalidInput('no sql command provided', 'EMPTY_SQL');
  return (session) => runAll(session, statements);
}

/** A block of Snowflake Scripting contains semicolons and is one statement. */
function splitCommand(text: string): Statement[] {
  const isBlock = /^\s*(declare\s|begin\s+(?!transaction\b|work\b|name\b)[a-z])/i.test(text);
  return isBlock ? [{ text, parameters: [] }] : splitStatements(text);
}

interface Bound {
  readonly text: string;
  readonly binds: readonly Bind[];
}

/** A list binds `?` and `:1`, a mapping binds `:name`; a statement without placeholders gets none. */
function bind({ text, parameters }: Statement, params: Json[] | JsonObject | undefined): Bound {
  if (params === undefined) return { text, binds: [] };
  if (Array.isArray(params)) {
    return { text, binds: /\?|:\d/.test(text) ? params.map(bindValue) : [] };
  }
  const binds: Bind[] = [];
  let bound = '';
  let at = 0;
  for (const parameter of parameters) {
    const { start, end, name } = parameter;
    if (typeof name !== 'string' || !Object.hasOwn(params, name)) continue;
    refuseListIn({ text }, parameter, params[name], flattened);
    binds.push(bindValue(params[name] ?? null));
    bound += `${text.slice(at, start)}?`;
    at = end;
  }
  return { text: bound + text.slice(at), binds };
}

const flattened = (list: string, not: boolean): string =>
  `${not ? 'NOT ' : ''}IN (SELECT value FROM TABLE(FLATTEN(PARSE_JSON(${list}))))`;

function bindValue(value: Json): Bind {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function runAll(session: SnowflakeSession, statements: readonly Bound[]): Promise<JsonObject> {
  const results: JsonObject[] = [];
  for (const [index, { text, binds }] of statements.entries()) {
    session.check();
    results.push(await collected(await session.execute(text, binds, `command_${index}`)));
  }
  const named = results.map((one, index) => [`command_${index}`, { status: 'success', ...one }] as const);
  return { ...results.at(-1), ...Object.fromEntries(named) };
}

async function collected({ columns, changed, rows: stream }: SnowflakeResult): Promise<JsonObject> {
  if (changed !== undefined) return { rows: [], row_count: changed, columns: [] };
  const rows: JsonObject[] = [];
  let bytes = 0;
  for await (const row of stream) {
    bytes += JSON.stringify(row).length;
    if (bytes > MAX_ROW_BYTES) {
      const message = `snowflake: the rows take more than ${MAX_ROW_BYTES / 1024 / 1024} MiB; select fewer rows or columns, or transfer them to a table`;
      throw invalidInput(message, 'RESULT_TOO_LARGE');
    }
    rows.push(row);
  }
  return { rows, row_count: rows.length, columns: [...columns] };
}
