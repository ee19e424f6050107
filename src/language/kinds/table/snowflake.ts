/** SQL on Snowflake. */
import { prefixed } from '../credentials';
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';
import { SQL, SQL_KIND, SQL_OR_TABLE, TABLE } from '../sql';

const login = (...names: string[]) => prefixed('sf_', ...names);

export const snowflakeKind: KindDeclaration = {
  ...SQL_KIND,
  doc: 'SQL on Snowflake, in a separate session.',
  fields: {
    ...SQL,
    ...TABLE,
    ...AUTH,
    params:
      'Values of the placeholders `?` and `:1` (a list), or `:name` (a mapping); for a sink, default the `args` that the SQL names.',
    database: 'The database; default that of the credential.',
    schema: 'The schema; default that of the credential.',
    warehouse: 'The warehouse; default that of the credential.',
    role: 'The role; default that of the credential.',
    ...TIMEOUT,
  },
  required: [SQL_OR_TABLE],
  exclusive: [SQL_OR_TABLE, ['auth', 'credential'], ['timeout', 'timeout_seconds']],
  needsCredential: true,
  probe: { command: 'SELECT 1' },
  credentials: [
    {
      names: ['snowflake'],
      forms: [
        [login('account'), login('user', 'username'), login('password')],
        [login('account'), login('user', 'username'), login('private_key')],
        [login('account'), login('token')],
      ],
    },
  ],
  lineage: {
    database: {
      namespace: ({ account }) => account && `snowflake://${account.toLowerCase()}`,
      schema: 'PUBLIC',
      fold: 'upper',
    },
  },
  packages: ['snowflake-sdk'],
  delivery: { killed: 'at least once; exactly once by `MERGE` on the key' },
};
