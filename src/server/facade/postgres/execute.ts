/** Runs one query of an operator, on its own connection, limited in time and size. */
import { Client as Connection, type QueryArrayResult } from 'pg';
import { CodedError } from '../../../language/errors';
import { addressOf } from '../../../storage/postgres';
import { parametersOf } from './parameters';

/** Milliseconds. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
/** Maximum rows of a result. */
const MAX_ROWS = 10_000;

export interface Query {
  readonly sql: string;
  readonly parameters?: unknown;
  /** First in the search path. */
  readonly schema?: string;
}

export interface ResultRows {
  readonly columns: readonly string[];
  /** One list of values per row, in the order of the columns. */
  readonly values: readonly (readonly unknown[])[];
  readonly command: string;
  /** Rows returned or changed. */
  readonly count: number;
  /** There were more than `MAX_ROWS`. */
  readonly truncated: boolean;
}

/**
 * Runs the SQL; of several statements the last one's rows are returned. @throws CodedError `QUERY_FAILED` if the
 * database rejects it, with `details` as in the response: `code` is the SQLSTATE, or the system's code if there was
 * no connection
 */
export async function executeQuery(url: string, { sql, parameters, schema }: Query): Promise<ResultRows> {
  const connection = new Connection({
    ...addressOf(url),
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 1000,
    application_name: 'noetl-temporal query',
  });
  connection.on('error', () => undefined); // reported by the query in flight
  try {
    await connection.connect();
    if (schema !== undefined)
      await connection.query(`SET search_path TO ${connection.escapeIdentifier(schema)}, public`);
    const { text, values } = parametersOf(sql, parameters);
    const answer = (await connection.query({
      text,
      rowMode: 'array',
      ...(values && { values: values as unknown[] }),
    })) as QueryArrayResult | QueryArrayResult[];
    return rowsOf([answer].flat().at(-1)!);
  } catch (error) {
    throw queryError(error);
  } finally {
    await connection.end().catch(() => undefined);
  }
}

function rowsOf({ fields, rows, command, rowCount }: QueryArrayResult): ResultRows {
  return {
    columns: fields.map(({ name }) => name),
    values: rows.slice(0, MAX_ROWS) as unknown[][],
    command: command ?? '',
    count: rowCount ?? 0,
    truncated: rows.length > MAX_ROWS,
  };
}

function queryError(error: unknown): unknown {
  const { message, code, hint, position } = error as Error & {
    code?: string;
    hint?: string;
    position?: string;
  };
  if (message === undefined) return error;
  const details = { code: code ?? 'QUERY', ...(hint && { hint }), ...(position && { position }) };
  return new CodedError('QUERY_FAILED', message || String(code), { details });
}
