/** SQL on PostgreSQL. */
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';
import { SQL, SQL_KIND, SQL_OR_TABLE, TABLE } from '../sql';

export const postgresKind: KindDeclaration = {
  ...SQL_KIND,
  doc: 'SQL on a PostgreSQL database.',
  fields: {
    ...SQL,
    ...TABLE,
    ...AUTH,
    params:
      'Values of the placeholders `$1`, `$2`, … (a list), or `:name` (a mapping); for a sink, default the `args` that the SQL names.',
    database: 'The database; default that of the credential.',
    pool: 'Maximum connections per credential in a worker: `{max}`.',
    transaction: '`false` commits each statement by itself.',
    statement_timeout: 'Seconds for each statement.',
    ...TIMEOUT,
  },
  required: [SQL_OR_TABLE],
  exclusive: [SQL_OR_TABLE, ['auth', 'credential'], ['timeout', 'timeout_seconds']],
  needsCredential: true,
  probe: { command: 'SELECT 1' },
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
