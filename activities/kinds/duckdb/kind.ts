/** SQL on DuckDB, inside of the worker. */
import { type KindDeclaration } from '../../../src/kinds/declaration';
import { AUTH } from '../../../src/kinds/fields';
import { SQL, SQL_FIELDS, SQL_MOCK, SQL_OR_TABLE, TABLE } from '../../../src/kinds/sql';

export const duckdb: KindDeclaration = {
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
  stores: 'table',
  payload: { field: 'rows' },
  mock: SQL_MOCK,
  concurrency: 8,
  packages: ['@duckdb/node-api'],
  timeout: 300,
};
