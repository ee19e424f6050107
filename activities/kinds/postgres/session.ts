/**
 * One task's use of a connection: taken from its credential's pool, cancelled on the server when the task must stop,
 * and reset before the next task gets it.
 */
import { type PoolClient } from 'pg';
import { compact, isMapping, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Deadline } from '../../framework/tool/deadline';
import { field, secondsField, textField } from '../../framework/tool/fields';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { unlessStopped } from '../../framework/tool/unless-stopped';
import { cancelBackend, type PoolLimits, type PostgresServer, postgresServerOf } from './connection';
import { sqlFailure } from './errors';
import { type ToolContext } from '../../framework/tool/tool';

/** How long a cancelled statement may keep running before its connection is dropped. */
const CANCEL_GRACE_MS = 5000;
/** The server's own limit fires after ours, in case this worker is gone. */
const SERVER_TIMEOUT_MARGIN_MS = 2000;
const DEFAULT_CONNECT_TIMEOUT_S = 10;

/** `outcome.pg` of a task that succeeded. */
export const NO_ERROR: NonNullable<Outcome['pg']> = {
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

export interface PostgresSession {
  readonly client: PoolClient;
  /** Aborted when the task must stop. */
  readonly signal: AbortSignal;
  /** Number of the running statement, for messages; updated as work proceeds. */
  command: number | undefined;
  /** Cancels the running statement on the server. */
  cancel(): void;
  /** @throws ToolError when the task must stop. */
  check(): void;
  /** Opens the transaction, or only sets the session's limits. The work itself commits. */
  begin(transaction: boolean): Promise<void>;
}

/** @throws ToolError for any failure, with SQLSTATE, including connection errors */
export async function withSession<T>(
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const credential = await resolveAuth(call, context.credentials);
  if (!credential) throw invalidInput('postgres: no credential named (auth or credential)', 'NO_CREDENTIAL');
  const limits = limitsOf(call);
  const server = postgresServerOf(credential, limits);
  let lease: Lease;
  try {
    const waiting = acquire(server, deadline);
    lease = await (context.waitFor?.(waiting, (taken) => giveBack(taken, false)) ?? waiting);
  } catch (error) {
    throw deadline.reason() ?? asOutcome(error, undefined);
  }
  const { client } = lease;
  const guard = cancelOnAbort(server, client, deadline);
  const session = sessionOn(client, deadline, limits.statementMs, guard.cancel);
  let broken = true;
  try {
    const result = await guard.race(work(session));
    broken = guard.used();
    return result;
  } catch (error) {
    const outcome = asOutcome(error, session.command);
    broken = guard.used() || outcome.outcome.error?.kind === 'connection';
    throw deadline.reason({ pg: { ...NO_ERROR, command: session.command ?? null } }) ?? outcome;
  } finally {
    guard.done();
    giveBack(lease, broken);
  }
}

interface Limits extends PoolLimits {
  /** Time limit per statement; the task's own time limit applies as well. */
  readonly statementMs: number;
}

/** `pool: {max}`, `database`, `statement_timeout` and the connect timeout of the task. */
function limitsOf(call: TaskCall): Limits {
  const pool = call.config['pool'];
  const max = isMapping(pool) ? field(pool as JsonObject, 'max', 'max_size', 'size') : undefined;
  if (max !== undefined && !(Number.isInteger(Number(max)) && Number(max) > 0)) {
    throw invalidInput(`postgres: pool.max must be a whole number above 0, not ${JSON.stringify(max)}`);
  }
  const database = textField(call, 'database');
  return {
    connectMs: (call.timeout.connect ?? DEFAULT_CONNECT_TIMEOUT_S) * 1000,
    ...compact({ database }),
    ...(max !== undefined && { max: Number(max) }),
    statementMs: secondsField(call, ['statement_timeout'], Infinity) * 1000 || Infinity,
  };
}

function sessionOn(
  client: PoolClient,
  deadline: Deadline,
  statementMs: number,
  cancel: () => void,
): PostgresSession {
  return {
    client,
    signal: deadline.signal,
    command: undefined,
    cancel,
    check: deadline.check,
    async begin(transaction) {
      const longest = Math.min(deadline.remaining() + SERVER_TIMEOUT_MARGIN_MS, statementMs, 2 ** 31 - 1);
      const limit = Math.max(1, Math.ceil(longest));
      await client.query(`${transaction ? 'begin; set local' : 'set'} statement_timeout = ${limit}`);
    },
  };
}

/** @param index of the statement, if one was reached */
export function asOutcome(error: unknown, index: number | undefined): ToolError {
  if (error instanceof ToolError) return error;
  const { failure, pg } = sqlFailure(error, index);
  return new ToolError(failure, { pg });
}

interface Lease {
  readonly client: PoolClient;
  /** Returns the connection for the next task. */
  readonly done: () => void;
}

/**
 * Takes a connection from the pool when it is this task's turn; one that arrives after the abort is returned at once.
 */
async function acquire(server: PostgresServer, { signal }: Deadline): Promise<Lease> {
  const done = await server.slots.take(signal);
  const connecting = server.pool.connect();
  try {
    return { client: await unlessStopped(connecting, { signal }), done };
  } catch (error) {
    connecting
      .then(
        (client) => client.release(),
        () => undefined,
      )
      .finally(done);
    throw error;
  }
}

/** Cancels on the server when the task must stop, and gives up on a server that does not react. */
function cancelOnAbort(
  server: PostgresServer,
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

/**
 * Resets the session so that nothing of it (settings, temporary tables, locks, an open transaction) affects the next
 * task.
 */
function giveBack({ client, done }: Lease, broken: boolean): void {
  if (broken) {
    client.release(true);
    done();
    return;
  }
  client
    .query('rollback')
    .then(() => client.query('discard all'))
    .then(
      () => client.release(),
      () => client.release(true),
    )
    .finally(done);
}
