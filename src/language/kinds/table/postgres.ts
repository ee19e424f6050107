/** SQL on PostgreSQL. */
import { type FieldType, type KindDeclaration } from '../declaration';
import { AUTH, PLACE, TIMEOUT } from '../fields';
import { SQL, SQL_KIND, SQL_OR_TABLE, TABLE } from '../sql';

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
          format: { type: { words: ['csv', 'text', 'binary'] }, doc: 'Default `csv`.' },
          header: { type: 'flag', doc: 'Whether the first line names the columns; true for csv.' },
          delimiter: { type: 'text', doc: 'The delimiter between values.' },
          null: { type: 'text', doc: 'The text that represents null.' },
          encoding: { type: 'text', doc: 'The encoding; default UTF8.' },
        },
      }),
    },
  ],
};

export const postgresKind: KindDeclaration = {
  ...SQL_KIND,
  doc: 'SQL on a PostgreSQL database.',
  fields: {
    ...SQL,
    ...TABLE,
    ...AUTH,
    params:
      'Values of the placeholders `$1`, `$2`, … (a list), or `:name` (a mapping); for a sink, default the `args` that the SQL names.',
    copy: 'Copies between a table or query and a file of the worker or the store of large results: `{from | to, table | query, format, …}`.',
    database: 'The database; default that of the credential.',
    pool: 'Maximum connections per credential in a worker: `{max}`.',
    transaction: '`false` commits each statement by itself.',
    statement_timeout: 'Seconds for each statement.',
    ...TIMEOUT,
  },
  required: [[...SQL_OR_TABLE, 'copy']],
  exclusive: [
    [...SQL_OR_TABLE, 'copy'],
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
  ],
  needsCredential: true,
  probe: { command: 'SELECT 1' },
  types: { copy: COPY },
  failures: [{ sqlstate: '40P01' }, { sqlstate: '23505' }, { kind: 'connection' }],
  lineage: {
    database: {
      namespace: ({ host, port = '5432' }) => host && `postgres://${host}:${port}`,
      schema: 'public',
      fold: 'lower',
    },
  },
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
  delivery: { killed: 'at least once; exactly once by upsert or by a unique key' },
};
