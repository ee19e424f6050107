/** SQL of Postgres: connections, what the server refuses, `table`. */
import { type JsonObject } from '../../src/language/plan';
import { NO_PROTOCOL, select } from '../clauses/clause';
import { type Cell, type Fields, sql } from '../faults/cell';
import { SECRET, limit, type Ending, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const pgAt =
  (more: JsonObject): Fields =>
  (on) => ({ query: 'select 1', auth: { type: 'postgres', ...on.pg.data, ...more } });

const faults: readonly Cell[] = [
  ['no sql', { auth: 'pg_local', command: '' }, 'validation', 'EMPTY_SQL', false],
  ['no credential', () => ({ auth: '', ...sql('select 1') }), 'validation', 'NO_CREDENTIAL', false],
  ['connection refused', pgAt({ db_port: 1 }), 'connection', 'ECONNREFUSED', true],
  ['an unknown host', pgAt({ db_host: 'no-such-host.invalid' }), 'connection', 'ENOTFOUND', true],
  [
    'a wrong password',
    pgAt({ db_user: 'nobody', db_password: 'wrong-password' }),
    'auth',
    'SQLSTATE_28P01',
    false,
  ],
  ['an unknown database', pgAt({ db_name: 'no_such_database' }), 'sql', 'SQLSTATE_3D000', false],
  [
    'a credential without a host',
    { auth: { type: 'postgres', db_user: 'x' }, ...sql('select 1') },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  [
    'a credential of another type',
    { auth: { type: 'bearer', token: 'x' }, ...sql('select 1') },
    'auth',
    'CREDENTIAL_UNSUITABLE',
    false,
  ],
  ['a syntax error', sql('selec 1'), 'sql', 'SQLSTATE_42601', false],
  ['a missing table', sql('select * from nope'), 'sql', 'SQLSTATE_42P01', false],
  ['a missing column', sql('select nope from t'), 'sql', 'SQLSTATE_42703', false],
  ['a missing function', sql('select nope()'), 'sql', 'SQLSTATE_42883', false],
  ['a division by zero', sql('select 1/0'), 'sql', 'SQLSTATE_22012', false],
  ['a number out of range', sql('select 2147483647::int + 1'), 'sql', 'SQLSTATE_22003', false],
  ['a text that is no number', sql("select 'x'::int"), 'sql', 'SQLSTATE_22P02', false],
  ['a unique violation', sql('insert into t values (1, 1)'), 'sql', 'SQLSTATE_23505', false],
  ['a null', sql('insert into t values (2, null)'), 'sql', 'SQLSTATE_23502', false],
  ['a check', sql('insert into t values (2, 0)'), 'sql', 'SQLSTATE_23514', false],
  ['a foreign key', sql('insert into child values (99)'), 'sql', 'SQLSTATE_23503', false],
  [
    'no permission',
    (on) => ({
      ...sql('select * from t'),
      auth: { type: 'postgres', ...on.pg.data, db_user: 'nobody', db_password: 'nobody-pass' },
    }),
    'sql',
    'SQLSTATE_42501',
    false,
  ],
  [
    'a statement timeout',
    { ...sql('select pg_sleep(9)'), statement_timeout: 0.2 },
    'timeout',
    'SQLSTATE_57014',
    true,
  ],
  ['too slow', { ...sql('select pg_sleep(9)'), timeout: 0.5 }, 'timeout', 'TIMEOUT', true],
  [
    'its backend is killed',
    sql('select pg_terminate_backend(pg_backend_pid())'),
    'connection',
    'SQLSTATE_57P01',
    true,
  ],
  [
    'a lock that is not available',
    sql("begin; set local lock_timeout = '1ms'; do $$ begin raise lock_not_available; end $$"),
    'sql',
    'SQLSTATE_55P03',
    true,
  ],
  [
    'a serialisation failure',
    sql('do $$ begin raise serialization_failure; end $$'),
    'sql',
    'SQLSTATE_40001',
    true,
  ],
  ['a deadlock', sql('do $$ begin raise deadlock_detected; end $$'), 'sql', 'SQLSTATE_40P01', true],
  ['a full disk', sql('do $$ begin raise disk_full; end $$'), 'sql', 'SQLSTATE_53100', true],
  [
    'too many connections',
    sql('do $$ begin raise too_many_connections; end $$'),
    'sql',
    'SQLSTATE_53300',
    true,
  ],
  [
    'an exception of a procedure',
    sql("do $$ begin raise exception 'mine'; end $$"),
    'sql',
    'SQLSTATE_P0001',
    false,
  ],
  ['a parameter that is missing', { ...sql('select $2'), params: [1] }, 'validation', 'INVALID_INPUT', false],
  ['table: missing', { table: 'nope', data: { a: 1 } }, 'sql', 'SQLSTATE_42P01', false],
  [
    'table: a column that is missing',
    { table: 't', data: { nope: 1 } },
    'validation',
    'NO_SUCH_COLUMN',
    false,
  ],
  ['table: no data', { table: 't' }, 'validation', 'NO_DATA', false],
  ['table: data that is no row', { table: 't', data: [1] }, 'validation', 'INVALID_DATA', false],
  [
    'table: a mode that is none',
    { table: 't', data: { id: 1 }, mode: 'merge' },
    'validation',
    'INVALID_MODE',
    false,
  ],
  [
    'table: a key without an index',
    { table: 't', data: { n: 1 }, mode: 'upsert', key: 'n' },
    'validation',
    'NO_UNIQUE_KEY',
    false,
  ],
  [
    'table: a row without its key',
    { table: 't', data: { n: 1 }, mode: 'upsert' },
    'validation',
    'MISSING_KEY',
    false,
  ],
  ['table: a value of another type', { table: 't', data: { id: 'x', n: 1 } }, 'sql', 'SQLSTATE_22P02', false],
];

const pg = select(() => ({ auth: 'pg_local' }), 'v');

const clauses: KindTests['clauses'] = {
  fields: { auth: 'pg_local', command: 'select 1' },
  proofs: {
    'an input that is missing': { refused: { auth: 'pg_local' }, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'an unknown host' },
    'wrong credentials': { fault: 'a wrong password' },
    'a malformed response': NO_PROTOCOL,
    bytes: pg("'\\x00ff'::bytea", 'AP8='),
    NaN: pg("'NaN'::float8", null),
    'a decimal': pg('12345678901234567890.5::numeric', '12345678901234567890.5'),
    'a date': pg("'2026-01-31 08:00:00.123456+00'::timestamptz", '2026-01-31T08:00:00.123456+00:00'),
    'a 64-bit integer': pg('9223372036854775807::int8', '9223372036854775807'),
  },
};

const POSTGRES: Readonly<Record<Ending, string>> = {
  success: "select $1::text as v, encode(convert_to($1::text, 'UTF8'), 'hex') as x, $2::text as go",
  failure: 'select $1::text::int as v, $2::text as go',
  timeout: 'select pg_sleep(120), $1::text as v, $2::text as go',
  crash: 'select pg_sleep(case when pg_stat_file($2, true) is null then 120 else 0 end)::text, $1::text as v',
  retry: 'select $1::text::int as v, $2::text as go',
};

const postgres = (secret: string, ending: Ending, auth = 'db'): Tool => ({
  kind: 'postgres',
  auth,
  command: POSTGRES[ending],
  params: [secret, '{{ workload.go }}'],
  ...limit(ending),
});

const ROWS = { t: SECRET, n: 1 };

const rowsOf = (ending: Ending, fields: Tool): Tool | undefined =>
  ending === 'timeout' || ending === 'crash'
    ? undefined
    : { ...fields, table: ending === 'success' ? 'kept' : 'nowhere', data: [ROWS] };

const canary: KindTests['canary'] = {
  carry: (secret, ending) => postgres(secret, ending),
  own: {
    'auth: password': (ending) =>
      postgres('word', ending, ending === 'failure' || ending === 'retry' ? 'db_refused' : 'db_secret'),
    rows: (ending) => rowsOf(ending, { kind: 'postgres', auth: 'db' }),
  },
};

const examples: KindTests['examples'] = {
  postgres: {
    result: {
      rows: [
        { id: 1, doc: { name: 'anvil', worn: true }, price: 7.5 },
        { id: 2, doc: { name: 'rope' }, price: 3 },
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
    real: 'a real Postgres 18, and a proxy that breaks connections',
    not: 'a full disk of the server: the test makes the server raise the error',
  },
};
