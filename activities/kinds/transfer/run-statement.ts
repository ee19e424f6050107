/** Statements of a target, run for each row, in a transaction of each database. */
import { type Json, type JsonObject } from '../../../src/language/plan';
import { type PostgresSession } from '../postgres/session';
import { type SnowflakeSession } from '../snowflake/connection';
import { columnBytes, structured } from '../../framework/sql/table/values';
import { type OpenTable } from '../../framework/sql/table/writer';
import { type RowStatement } from './statement';

/** The database-specific part of `openStatement`. */
export interface Running {
  begin(): Promise<void>;
  /** Runs the statement once for each list of values. @returns the number of rows reported by the server */
  run(lists: Iterable<readonly Json[]>): Promise<number>;
  commit(): Promise<void>;
}

/** The first rows open a transaction, as do the first rows after a commit. */
export function openStatement(statement: RowStatement, running: Running): OpenTable {
  let isOpen = false;
  return {
    name: null,
    deleted: undefined,
    async write(rows) {
      if (!isOpen) await running.begin();
      isOpen = true;
      const lists = statement.takesChunk ? [[JSON.stringify(rows)]] : each(rows, statement);
      return { count: await running.run(lists), columns: Object.keys(rows[0] ?? {}) };
    },
    async commit() {
      if (isOpen) await running.commit();
      isOpen = false;
    },
  };
}

function* each(rows: readonly JsonObject[], statement: RowStatement): Generator<readonly Json[]> {
  for (const row of rows) yield statement.values(row);
}

/** Postgres reports the type of each parameter: only then is it known whether a list is an array or JSON. */
export function postgresStatement(session: PostgresSession, text: string): Running {
  let types: readonly string[] | undefined;
  return {
    begin: () => session.begin(true),
    async run(lists) {
      types ??= await typesOf(session, text);
      let count = 0;
      for (const values of lists) {
        session.check();
        const bound = values.map((value, at) => forPostgres(value, types![at], at));
        count += (await session.client.query(text, bound)).rowCount ?? 0;
      }
      return count;
    },
    commit: async () => {
      await session.client.query('commit');
    },
  };
}

const NAME = 'noetl_transfer_types';

/** Only what PREPARE accepts has known types; a CALL does not. */
async function typesOf({ client }: PostgresSession, text: string): Promise<readonly string[]> {
  if (!/^\s*(?:with|select|insert|update|delete|merge|values)\b/i.test(text)) return [];
  await client.query(`prepare ${NAME} as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [NAME],
  );
  await client.query(`deallocate ${NAME}`);
  return rows[0]!.types;
}

function forPostgres(value: Json, type: string | undefined, at: number): unknown {
  if (value === null) return null;
  if (type === 'json' || type === 'jsonb') return JSON.stringify(structured(value));
  if (type === 'bytea' && typeof value === 'string' && !value.startsWith('\\x'))
    return columnBytes('postgres', value, `$${at + 1}`);
  if (Array.isArray(value) && type?.endsWith('[]')) return value;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

export function snowflakeStatement(session: SnowflakeSession, text: string): Running {
  return {
    async begin() {
      await session.execute('begin', [], 'begin');
    },
    async run(lists) {
      let count = 0;
      for (const values of lists) {
        session.check();
        const binds = values.map((value) =>
          typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
        );
        count += (await session.execute(text, binds, 'query')).changed ?? 0;
      }
      return count;
    },
    async commit() {
      await session.execute('commit', [], 'commit');
    },
  };
}
