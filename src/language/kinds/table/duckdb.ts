/** SQL on DuckDB, within the worker. */
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';
import { SQL, SQL_KIND, SQL_OR_TABLE, TABLE } from '../sql';

export const duckdbKind: KindDeclaration = {
  ...SQL_KIND,
  doc: 'SQL on DuckDB.',
  sandbox: {},
  fields: {
    ...SQL,
    ...TABLE,
    ...AUTH,
    params: 'Values of the placeholders; for a sink, default the `args` that the SQL names.',
    files:
      "References to have as files, `{name: reference}`; SQL reads their paths by `getvariable('name')`.",
    database: 'The database file; default in memory.',
    db_path: 'Alias of `database`.',
    path: 'Alias of `database`.',
    credentials:
      'Alias of `auth`: `{alias: credential}`, secrets with which SQL accesses other databases and buckets.',
    catalog_connection:
      'The catalog of a DuckLake, `postgres:dbname=…` or a file: it is attached, and SQL speaks of its tables.',
    catalog_name: 'The name of the attached DuckLake; default `lake`.',
    data_path: 'Where the DuckLake keeps its files, if its catalog does not say.',
    auto_secrets: '`false`: create no secrets from the credentials.',
    memory_mb: 'Memory limit of the database, in MB.',
    as_objects: '`false`: rows are lists of values.',
    ...TIMEOUT,
  },
  required: [SQL_OR_TABLE],
  exclusive: [
    SQL_OR_TABLE,
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
    ['database', 'db_path', 'path'],
  ],
  hints: [
    [
      /^DUCKDB_PERMISSION$/,
      'in a sandbox DuckDB reads the `files` of the task and nothing else; `spec.sandbox: none` gives access to the rest, if the worker allows it.',
    ],
  ],
  lineage: {
    database: {
      namespace: (_, { database, db_path, path }) => {
        const file = [database, db_path, path].find((value) => typeof value === 'string') ?? '';
        return file === '' || file === ':memory:' ? undefined : `duckdb://${file}`;
      },
      schema: 'main',
      fold: 'lower',
      isLocal: true,
    },
  },
  concurrency: 8,
  packages: ['@duckdb/node-api'],
  delivery: { killed: 'at least once; exactly once by upsert into a file; `:memory:` has no effect' },
};
