/**
 * Tool kind `postgres`: one or several statements, all in one transaction unless one of them forbids that (or
 * `transaction: false`). The result is that of the last statement, `{rows, row_count, columns}`, and every statement's
 * as `command_<n>`. With `table` instead of SQL it writes rows (postgres/table.ts). `pg` contains the SQLSTATE and
 * other details from the server.
 */
import { type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { booleanField, field } from '../../framework/tool/fields';
import { invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Bound, bind } from './bind';
import { claimRows } from './claim';
import { closeServers } from './connection';
import { runStatement, type StatementResult } from './statements';
import { NO_ERROR, type PostgresSession, withSession } from './session';
import { splitStatements, type Statement } from '../../framework/sql/split';
import { openPostgresTable } from './table';
import { forbidsTransaction } from './transaction';
import { SQL_TEXT_FIELDS, sqlTexts } from '../../framework/sql/sql-text';
import { tableWrite } from '../../framework/sql/table/request';
import { writeAll } from '../../framework/sql/table/writer';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

export const postgres: Tool = {
  kind: 'postgres',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
  close: closeServers,
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const work = await workOf(call, { ...context, signal: deadline.signal });
  return succeeded(await withSession(call, context, deadline, work), { pg: NO_ERROR });
}

/** Parses the fields: rows for a table, or SQL. Invalid fields are reported before connecting. */
async function workOf(
  call: TaskCall,
  context: ToolContext,
): Promise<(session: PostgresSession) => Promise<JsonObject>> {
  const write = tableWrite(call, 2, SQL_TEXT_FIELDS);
  if (write) return async (session) => writeAll(await openPostgresTable(session, write), write);
  const statements = await statementsOf(call, context);
  const params = field(call.config, 'params', 'parameters');
  const bound = statements.map((statement) => bind(statement, params));
  const transaction =
    booleanField(call, ['transaction'], true) &&
    statements.length > 1 &&
    !statements.some(forbidsTransaction);
  if (call.claim && !statements.some(forbidsTransaction))
    return (session) =>
      claimRows(session, context, async () => (await runEach(session, bound, context)).at(-1)!);
  return async (session) => resultOf(await runAll(session, bound, transaction, context));
}

async function runAll(
  session: PostgresSession,
  bound: readonly Bound[],
  transaction: boolean,
  context: ToolContext,
): Promise<StatementResult[]> {
  await session.begin(transaction);
  const results = await runEach(session, bound, context);
  if (transaction) await session.client.query('commit');
  return results;
}

async function runEach(
  session: PostgresSession,
  bound: readonly Bound[],
  { digitsLost }: ToolContext,
): Promise<StatementResult[]> {
  const results: StatementResult[] = [];
  for (const [index, statement] of bound.entries()) {
    session.check();
    session.command = index;
    results.push(await runStatement(session, statement, digitsLost));
  }
  return results;
}

/** A string is split into statements; so is each entry of a list. */
async function statementsOf(call: TaskCall, context: ToolContext): Promise<Statement[]> {
  const statements = (await sqlTexts(call, context)).flatMap((text) => splitStatements(text));
  if (statements.length === 0) throw invalidInput('no sql command provided', 'EMPTY_SQL');
  return statements;
}

function resultOf(results: readonly StatementResult[]): JsonObject {
  const commands = results.map((one, index) => [`command_${index}`, { status: 'success', ...one }] as const);
  return { ...results.at(-1), ...Object.fromEntries(commands) };
}
