/** SQL of Snowflake: logins, what the server refuses. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell, type Fields } from './cell';
import { sf } from './stage';

const sfAt =
  (more: JsonObject): Fields =>
  (on) => ({ query: 'select 1', auth: sf(on, more) });
const sfSql =
  (query: string): Fields =>
  (on) => ({ query, auth: sf(on, {}) });

export const snowflake: readonly Cell[] = [
  ['no sql', (on) => ({ query: ' ', auth: sf(on, {}) }), 'validation', 'EMPTY_SQL', false],
  ['no credential', { query: 'select 1' }, 'validation', 'NO_CREDENTIAL', false],
  [
    'no account',
    { query: 'select 1', auth: { user: 'u', password: 'p' } },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  [
    'no password',
    { query: 'select 1', auth: { account: 'a', user: 'u' } },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  [
    'no user',
    { query: 'select 1', auth: { account: 'a', password: 'p' } },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  ['connection refused', sfAt({ access_url: 'http://127.0.0.1:1' }), 'connection', 'ECONNREFUSED', true],
  ['a wrong password', sfAt({ password: 'wrong' }), 'auth', 'SNOWFLAKE_390100', false],
  ['a syntax error', sfSql('selec 1'), 'sql', 'SNOWFLAKE_001003', false],
  ['a missing table', sfSql('select * from nope'), 'sql', 'SNOWFLAKE_002003', false],
  ['a locked table', sfSql('select 1 /* locked */'), 'sql', 'SNOWFLAKE_000625', true],
  ['a timeout of the server', sfSql('select 1 /* timeout */'), 'timeout', 'SNOWFLAKE_000630', true],
  ['cancelled by somebody', sfSql('select 1 /* cancelled */'), 'sql', 'SNOWFLAKE_000604', false],
  ['no permission', sfSql('select 1 /* denied */'), 'sql', 'SNOWFLAKE_003001', false],
  ['no warehouse', sfSql('select 1 /* suspended */'), 'sql', 'SNOWFLAKE_000606', false],
  ['a refusal in between', sfSql('select 1 /* 403 */'), 'auth', 'HTTP_403', false],
  [
    'too slow',
    (on) => ({ query: 'select 1 /* slow */', auth: sf(on, {}), timeout: 1 }),
    'timeout',
    'TIMEOUT',
    true,
  ],
  [
    'table: missing',
    (on) => ({ table: 'nope', data: { a: 1 }, auth: sf(on, {}) }),
    'sql',
    'SNOWFLAKE_002003',
    false,
  ],
  ['table: no data', (on) => ({ table: 't', auth: sf(on, {}) }), 'validation', 'NO_DATA', false],
  [
    'params that are none',
    (on) => ({ query: 'select 1', params: 'x', auth: sf(on, {}) }),
    'validation',
    'INVALID_INPUT',
    false,
  ],
];
