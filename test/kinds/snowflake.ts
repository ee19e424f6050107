/** SQL of Snowflake: logins, what the server refuses. */
import { type JsonObject } from '../../src/language/plan';
import { NO_PROTOCOL, select } from '../clauses/clause';
import { type Cell, type Fields } from '../faults/cell';
import { sf } from '../faults/stage';
import { limit, gate, type Ending } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const sfAt =
  (more: JsonObject): Fields =>
  (on) => ({ query: 'select 1', auth: sf(on, more) });

const sfSql =
  (query: string): Fields =>
  (on) => ({ query, auth: sf(on, {}) });

const faults: readonly Cell[] = [
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

const snow = select((on) => ({ auth: sf(on, {}) }), 'V');

const clauses: KindTests['clauses'] = {
  fields: { auth: 'sf_local', command: 'select 1' },
  proofs: {
    'an input that is missing': { refused: { auth: 'sf_local' }, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'connection refused' },
    'wrong credentials': { fault: 'a wrong password' },
    'a malformed response': NO_PROTOCOL,
    bytes: snow("to_binary('00FF', 'HEX')", 'AP8='),
    NaN: snow("'nan'::float", null),
    'a decimal': snow('1.23456789012345678901::number(38, 20)', '1.23456789012345678901'),
    'a date': snow("'2026-01-31 08:00:00.123456'::timestamp_ntz", '2026-01-31T08:00:00.123456'),
    'a 64-bit integer': snow('9223372036854775807', '9223372036854775807'),
  },
};

const SNOWFLAKE: Readonly<Partial<Record<Ending, string>>> = {
  failure: "select cast(? || 'x' as integer) as v",
  retry: "select cast(? || 'x' as integer) as v",
};

const canary: KindTests['canary'] = {
  carry: (secret, ending) => ({
    kind: 'snowflake',
    auth: gate('warehouse', ending),
    command: SNOWFLAKE[ending] ?? 'select ? as v',
    params: [secret],
    ...limit(ending),
  }),
  own: {
    'auth: password': (ending) => ({
      kind: 'snowflake',
      auth: ending === 'failure' || ending === 'retry' ? 'warehouse_refused' : gate('warehouse', ending),
      command: 'select 1 as v',
      ...limit(ending),
    }),
  },
};

const examples: KindTests['examples'] = {
  snowflake: {
    result: {
      rows: [
        { ID: 1, CITY: 'Oslo', DOC: { t: [3.5, 4.5] } },
        { ID: 2, CITY: 'Rome', DOC: { t: [18] } },
      ],
    },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: {
    real: "Snowflake's driver and fakesnow; logins checked as Snowflake does",
    not: 'two `MERGE` in one transaction, interrupting a query on the server',
  },
};
