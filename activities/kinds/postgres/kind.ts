/** SQL on PostgreSQL. */
import { type FieldType, type KindDeclaration } from '../../../src/kinds/declaration';
import { AUTH, PLACE } from '../../../src/kinds/fields';
import { SQL, SQL_FIELDS, SQL_MOCK, SQL_OR_TABLE, TABLE } from '../../../src/kinds/sql';

/** `copy`: a table or query from or to a file. */
const COPY: FieldType = {
  either: [
    'template',
    {
      shape: () => ({
        title: 'a copy',
        others: 'error',
        fields: {
          from: { type: 'any', doc: 'A file of the worker, or a reference.' },
          to: { type: PLACE, doc: 'A file of the worker, or `{store: results}`.' },
          table: { type: 'text', doc: 'The table.' },
          query: { type: 'text', doc: 'With `to`: the query whose rows are copied.' },
          columns: {
            type: { either: ['template', { list: 'text' }] },
            doc: 'The columns of the table, a list.',
          },
          format: { type: { words: ['csv', 'text', 'binary'] }, doc: '`csv` unless written.' },
          header: { type: 'flag', doc: 'Whether the first line names the columns; true for csv.' },
          delimiter: { type: 'text', doc: 'What stands between values.' },
          null: { type: 'text', doc: 'What stands for null.' },
          encoding: { type: 'text', doc: 'The encoding, UTF8 unless written.' },
        },
      }),
    },
  ],
};

export const postgres: KindDeclaration = {
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
  stores: 'table',
  payload: { field: 'rows' },
  mock: SQL_MOCK,
  types: { copy: COPY },
  concurrency: 64,
  credentials: [
    {
      names: ['postgres', 'postgresql', 'pg', 'postgis', 'timescaledb'],
      forms: [
        [
          ['db_host', 'host', 'hostname'],
          ['db_user', 'user', 'username'],
          ['db_password', 'password'],
          ['db_name', 'database', 'dbname', 'db_database', 'db'],
        ],
        [['dsn', 'url', 'uri', 'connection_string']],
      ],
    },
  ],
  timeout: 300,
};
