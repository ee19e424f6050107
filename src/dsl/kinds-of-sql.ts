/** Kinds that speak SQL. */
import { AUTH, type ToolKind } from './tool-kind';

const SQL = {
  command: 'The SQL, one or several statements; the last one gives the result.',
  query: 'The same as `command`.',
  commands: 'The same as `command`, or a list of statements.',
  sql: 'The same as `command`.',
  statement: 'The same as `command`, in early playbooks.',
  script: 'The same as `command`, or where to load it from.',
};
const SQL_FIELDS = ['command', 'query', 'commands', 'sql', 'statement', 'script'];

const TABLE = {
  table: 'The table to write to, instead of SQL: `table` or `schema.table`.',
  mode: '`insert` (or `append`) unless written; `upsert` or `replace`.',
  key: 'The column or columns that tell rows apart in an upsert; the primary key unless written.',
  data: 'What to write: a mapping of column to value, or a list of them; `args` unless written.',
};

const SQL_OR_TABLE = [...SQL_FIELDS, 'table'];

export const SQL_KINDS: Readonly<Record<string, ToolKind>> = {
  postgres: {
    doc: 'SQL on a PostgreSQL database.',
    closed: true,
    inputs: 'templates',
    fields: {
      ...SQL,
      ...TABLE,
      ...AUTH,
      params:
        'Values of the placeholders `$1`, `$2`, … (a list), or `:name` (a mapping); of a sink, the `args` that the SQL names unless written.',
      copy: 'A table or query from or to a file of the worker, or the store of large results: `{from | to, table | query, format, …}`.',
      database: 'The database, if not that of the credential.',
      pool: 'Connections of the credential in a worker: `{max}`.',
      transaction: '`false` commits each statement by itself.',
      statement_timeout: 'Seconds for each statement.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [[...SQL_OR_TABLE, 'copy']],
    exclusive: [
      [...SQL_OR_TABLE, 'copy'],
      ['auth', 'credential'],
      ['timeout', 'timeout_seconds'],
    ],
    strict: ['auth', 'credential'],
    needsCredential: true,
    sql: SQL_FIELDS,
  },
  duckdb: {
    doc: 'SQL on DuckDB.',
    closed: true,
    inputs: 'templates',
    fields: {
      ...SQL,
      ...TABLE,
      ...AUTH,
      params: 'Values of the placeholders; of a sink, the `args` that the SQL names unless written.',
      files:
        "References to have as files, `{name: reference}`; SQL reads their paths by `getvariable('name')`.",
      database: 'The database file; in memory unless written.',
      db_path: 'The same as `database`.',
      path: 'The same as `database`.',
      credentials:
        'The same as `auth`: `{alias: credential}`, secrets that SQL opens other databases and buckets with.',
      auto_secrets: '`false`: no secrets are made of the credentials.',
      memory_mb: 'The most memory the database may use.',
      as_objects: '`false`: rows are lists of values.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [SQL_OR_TABLE],
    exclusive: [
      SQL_OR_TABLE,
      ['auth', 'credential'],
      ['timeout', 'timeout_seconds'],
      ['database', 'db_path', 'path'],
    ],
    strict: ['auth', 'credential'],
    sql: SQL_FIELDS,
  },
  snowflake: {
    doc: 'SQL on Snowflake, in a session of its own.',
    closed: true,
    inputs: 'templates',
    fields: {
      ...SQL,
      ...TABLE,
      ...AUTH,
      params:
        'Values of the placeholders `?` and `:1` (a list), or `:name` (a mapping); of a sink, the `args` that the SQL names unless written.',
      database: 'The database, if not that of the credential.',
      schema: 'The schema, if not that of the credential.',
      warehouse: 'The warehouse, if not that of the credential.',
      role: 'The role, if not that of the credential.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [SQL_OR_TABLE],
    exclusive: [SQL_OR_TABLE, ['auth', 'credential'], ['timeout', 'timeout_seconds']],
    strict: ['auth', 'credential'],
    needsCredential: true,
    sql: SQL_FIELDS,
  },
  ducklake: { doc: 'SQL on DuckLake.', fields: { ...SQL, ...AUTH }, required: [SQL_FIELDS], sql: SQL_FIELDS },
};
