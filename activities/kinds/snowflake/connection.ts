/** One session per task: settings, temporary tables and transactions do not affect others. */
import { type Bind, type Connection, type ConnectionOptions, type RowStatement } from 'snowflake-sdk';
import { compact, type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { type Credential } from '../../framework/credentials/credential';
import { type Deadline } from '../../framework/tool/deadline';
import { field, textField } from '../../framework/tool/fields';
import { ToolError } from '../../framework/tool/outcome';
import { unlessStopped } from '../../framework/tool/unless-stopped';
import { anyWorkerFile } from '../../framework/tool/worker-files';
import { snowflakeDriver } from './driver';
import { snowflakeFailure } from './errors';
import { snowflakeIdentity } from './identity';
import { type DigitsLost } from '../../../src/language/plan/json-text';
import { snowflakeToJson } from './values';

export interface SnowflakeResult {
  readonly columns: readonly string[];
  /** Rows that the statement changed; undefined for a query. */
  readonly changed: number | undefined;
  /** Read on demand: only the driver's own buffer is held in memory. */
  readonly rows: AsyncIterable<JsonObject>;
}

export interface SnowflakeSession {
  /** @throws ToolError */
  execute(sql: string, binds: readonly Bind[], place: string): Promise<SnowflakeResult>;
  /** @throws ToolError when the task must stop. */
  check(): void;
  /** Told of decimals in VARIANTs of which a double does not keep all digits. */
  digitsLost?: DigitsLost | undefined;
}

/** @throws ToolError for any failure, also when the task must stop */
export async function withSnowflake<T>(
  call: TaskCall,
  credential: Credential,
  deadline: Deadline,
  work: (session: SnowflakeSession) => Promise<T>,
): Promise<T> {
  const connection = await open(optionsOf(call, credential), deadline);
  try {
    return await work(sessionOn(connection, call, deadline));
  } catch (error) {
    throw deadline.reason() ?? error;
  } finally {
    // The server ends abandoned sessions, so this need not be awaited.
    connection.destroy(() => undefined);
  }
}

async function open(options: ConnectionOptions, deadline: Deadline): Promise<Connection> {
  const driver = await snowflakeDriver();
  try {
    const connection = driver.createConnection(options);
    const connected = new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    await unlessStopped(connected, deadline);
    return connection;
  } catch (error) {
    throw deadline.reason() ?? snowflakeFailure(error, 'connect');
  }
}

/**
 * Fields of the task override those of the credential: `database`, `schema`, `warehouse`, `role`. In a credential each
 * name may have the prefix `sf_`, as in NoETL.
 *
 * @throws ToolError `CREDENTIAL_INVALID`
 */
function optionsOf(call: TaskCall, { name, data }: Credential): Record<string, unknown> {
  const get = (...names: string[]): Json | undefined =>
    field(data, ...names.flatMap((one) => [`sf_${one}`, one]));
  const lacks = (what: string): ToolError =>
    new ToolError({
      kind: 'auth',
      code: 'CREDENTIAL_INVALID',
      message: `credential '${name}' has no ${what}, which snowflake needs`,
      credential: name,
    });
  const account = get('account');
  const username = get('user', 'username');
  if (account === undefined) throw lacks('sf_account');
  const identity = snowflakeIdentity(name, get);
  if (!identity) throw lacks('sf_password, sf_private_key or sf_token');
  if (username === undefined && !('token' in identity)) throw lacks('sf_user');
  const accessUrl = get('access_url', 'endpoint');
  const session = Object.fromEntries(
    ['database', 'schema', 'warehouse', 'role'].map((one) => [one, textField(call, one) ?? get(one)]),
  );
  return {
    account,
    username,
    ...identity,
    ...session,
    ...compact({ accessUrl }),
    application: 'noetl_temporal',
    rowMode: 'object_with_renamed_duplicated_columns',
    fetchAsString: ['Number'],
    representNullAsStringNull: false,
    // Retries are up to the playbook.
    sfRetryMaxLoginRetries: 1,
  };
}

function sessionOn(connection: Connection, call: TaskCall, deadline: Deadline): SnowflakeSession {
  const parameters = {
    // The server's own limit, in case this worker is gone.
    STATEMENT_TIMEOUT_IN_SECONDS: Math.max(1, Math.ceil(deadline.remaining() / 1000) + 2),
    QUERY_TAG: call.idempotency_key.slice(0, 2000),
  };
  const session: SnowflakeSession = {
    check: deadline.check,
    async execute(sqlText, binds, place) {
      // As the driver itself looks at it.
      const command = sqlText.trim().slice(0, 3).toUpperCase();
      if (command === 'PUT' || command === 'GET') anyWorkerFile('snowflake', command);
      let running: RowStatement | undefined;
      const cancel = (): void => running?.cancel(() => undefined);
      deadline.signal.addEventListener('abort', cancel, { once: true });
      try {
        const executed = new Promise<RowStatement>((resolve, reject) => {
          running = connection.execute({
            sqlText,
            ...(binds.length > 0 && { binds }),
            streamResult: true,
            parameters,
            complete: (error, statement) => (error ? reject(error) : resolve(statement)),
          });
        });
        const lost: DigitsLost = (literal) => session.digitsLost?.(literal);
        return resultOf(await unlessStopped(executed, deadline), lost, deadline, place);
      } catch (error) {
        throw deadline.reason() ?? snowflakeFailure(error, place);
      } finally {
        deadline.signal.removeEventListener('abort', cancel);
      }
    },
  };
  return session;
}

function resultOf(
  statement: RowStatement,
  digitsLost: DigitsLost,
  deadline: Deadline,
  place: string,
): SnowflakeResult {
  const columns = statement.getColumns() ?? [];
  const changed = statement.getNumUpdatedRows() ?? -1;
  const types = columns.map((column): [string, string] => [column.getName(), column.getType()]);
  const ofColumn = new Map(types);
  return {
    columns: changed >= 0 ? [] : types.map(([name]) => name),
    changed: changed >= 0 ? changed : undefined,
    rows: {
      [Symbol.asyncIterator]: () =>
        rowsOf(
          statement,
          (value, name) => snowflakeToJson(value, ofColumn.get(name) ?? 'text', digitsLost),
          deadline,
          place,
        ),
    },
  };
}

async function* rowsOf(
  statement: RowStatement,
  read: (value: unknown, name: string) => Json,
  deadline: Deadline,
  place: string,
): AsyncGenerator<JsonObject> {
  const stream = statement.streamRows();
  const stop = (): void => void stream.destroy(new Error('aborted'));
  deadline.signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const row of stream as AsyncIterable<Record<string, unknown>>) {
      yield Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(value, name)]));
    }
  } catch (error) {
    throw deadline.reason() ?? snowflakeFailure(error, place);
  } finally {
    deadline.signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}
