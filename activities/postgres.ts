/**
 * Tool kind `postgres`: one or several statements, all in one transaction unless one of them forbids that (or
 * `transaction: false`). The result is that of the last statement, `{rows, row_count, columns}`, and every statement's
 * as `command_<n>`. `pg` carries SQLSTATE and what else the server said.
 */
import { type PoolClient } from 'pg';
import { type JsonObject, type Outcome, type TaskCall } from '../src/plan';
import { resolveAuth } from './credentials/auth';
import { type Deadline, withDeadline } from './deadline';
import { booleanField, field, typeName } from './fields';
import { invalid, succeeded, ToolError } from './outcome';
import { type Bound, bind } from './postgres/bind';
import { cancelBackend, closeServers, type Server, serverOf } from './postgres/connection';
import { sqlFailure } from './postgres/errors';
import { runStatement, type StatementResult } from './postgres/run';
import { splitStatements, type Statement } from './postgres/split';
import { forbidsTransaction } from './postgres/transaction';
import { type Tool, type ToolContext } from './tool';

const NO_ERROR = {
  code: null,
  sqlstate: null,
  severity: null,
  message: null,
  detail: null,
  hint: null,
  position: null,
  schema: null,
  table: null,
  column: null,
  constraint: null,
  command: null,
};
/** How long a statement may go on after it was cancelled, before its connection is dropped. */
const CANCEL_GRACE_MS = 5000;
/** The server's own limit fires after ours, for the case that this worker is gone. */
const SERVER_TIMEOUT_MARGIN_MS = 2000;

export const postgres: Tool = {
  kind: 'postgres',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
  close: closeServers,
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const statements = statementsOf(call);
  const params = field(call.config, 'params', 'parameters');
  const bound = statements.map((statement) => bind(statement, params));
  const credential = await resolveAuth(call, context.credentials);
  if (!credential) throw invalid('postgres: no credential named (auth or credential)', 'NO_CREDENTIAL');
  const connectTimeout = Math.min((call.timeout.connect ?? 10) * 1000, deadline.remaining());
  const server = serverOf(credential, connectTimeout);
  const transaction =
    booleanField(call, ['transaction'], true) &&
    statements.length > 1 &&
    !statements.some(forbidsTransaction);
  const progress: Progress = { results: [] };
  let client: PoolClient;
  try {
    client = await acquire(server, deadline);
  } catch (error) {
    throw deadline.reason() ?? asOutcome(error, undefined);
  }
  const guard = cancelOnAbort(server, client, deadline);
  let broken = true;
  try {
    await guard.race(runAll(client, bound, transaction, deadline, progress, guard.cancel));
    broken = guard.used();
    return succeeded(resultOf(progress.results), { pg: NO_ERROR });
  } catch (error) {
    const outcome = asOutcome(error, progress.running);
    broken = guard.used() || (outcome instanceof ToolError && outcome.outcome.error?.kind === 'connection');
    throw deadline.reason({ pg: { ...NO_ERROR, command: progress.running ?? null } }) ?? outcome;
  } finally {
    guard.done();
    giveBack(client, broken);
  }
}

interface Progress {
  running?: number;
  results: StatementResult[];
}

async function runAll(
  client: PoolClient,
  bound: readonly Bound[],
  transaction: boolean,
  deadline: Deadline,
  progress: Progress,
  cancel: () => void,
): Promise<void> {
  const limit = Math.min(deadline.remaining() + SERVER_TIMEOUT_MARGIN_MS, 2 ** 31 - 1);
  await client.query(`${transaction ? 'begin; set local' : 'set'} statement_timeout = ${limit}`);
  for (const [index, statement] of bound.entries()) {
    const stopped = deadline.reason();
    if (stopped) throw stopped;
    progress.running = index;
    progress.results.push(await runStatement(client, statement, cancel));
  }
  if (transaction) await client.query('commit');
}

/** Text is split; each entry of a list is split too. */
function statementsOf(call: TaskCall): Statement[] {
  const value = field(call.config, 'command', 'query', 'commands', 'script', 'sql');
  const texts = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const statements = texts.flatMap((text) => {
    if (typeof text === 'string') return splitStatements(text);
    throw invalid(`postgres: a command must be text, not ${typeName(text)}`);
  });
  if (statements.length === 0) throw invalid('no sql command provided', 'EMPTY_SQL');
  return statements;
}

function resultOf(results: readonly StatementResult[]): JsonObject {
  const commands = results.map((one, index) => [`command_${index}`, { status: 'success', ...one }] as const);
  return { ...results.at(-1), ...Object.fromEntries(commands) };
}

function asOutcome(error: unknown, index: number | undefined): ToolError {
  if (error instanceof ToolError) return error;
  const { failure, pg } = sqlFailure(error, index);
  return new ToolError(failure, { pg });
}

/** A connection from the pool; one that comes after the abort goes back at once. */
async function acquire(server: Server, deadline: Deadline): Promise<PoolClient> {
  const connecting = server.pool.connect();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Error('aborted'));
    if (deadline.signal.aborted) abort();
    deadline.signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([connecting, aborted]);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  } finally {
    deadline.signal.removeEventListener('abort', abort);
  }
}

/** Cancels on the server when the task has to stop, and gives up waiting for a server that does not react. */
function cancelOnAbort(
  server: Server,
  client: PoolClient,
  deadline: Deadline,
): { cancel(): void; race<T>(work: Promise<T>): Promise<T>; used(): boolean; done(): void } {
  let giveUp: (error: Error) => void = () => undefined;
  const limit = new Promise<never>((_, reject) => (giveUp = reject));
  limit.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    if (timer) return;
    timer = setTimeout(() => giveUp(new Error('the server did not cancel the statement')), CANCEL_GRACE_MS);
    void cancelBackend(server, client);
  };
  deadline.signal.addEventListener('abort', cancel, { once: true });
  if (deadline.signal.aborted) cancel();
  return {
    cancel,
    race: (work) => Promise.race([work, limit]),
    used: () => timer !== undefined,
    done() {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', cancel);
    },
  };
}

/** Nothing of a task's session (settings, temporary tables, locks, an open transaction) reaches the next one. */
function giveBack(client: PoolClient, broken: boolean): void {
  if (broken) {
    client.release(true);
    return;
  }
  client
    .query('rollback')
    .then(() => client.query('discard all'))
    .then(
      () => client.release(),
      () => client.release(true),
    );
}
