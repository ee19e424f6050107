/** SQL of the embedded engine. */
import { select } from '../clauses/clause';
import { type Cell, sql } from '../faults/cell';
import { limit, type Ending } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const faults: readonly Cell[] = [
  ['no sql', sql(' '), 'validation', 'EMPTY_SQL', false],
  ['a syntax error', sql('selec 1'), 'sql', 'DUCKDB_PARSER', false],
  ['a missing table', sql('select * from nope'), 'sql', 'DUCKDB_CATALOG', false],
  ['a missing column', sql('select nope from range(1)'), 'sql', 'DUCKDB_BINDER', false],
  ['a text that is no number', sql("select 'x'::int"), 'sql', 'DUCKDB_CONVERSION', false],
  ['a number out of range', sql('select 200::tinyint'), 'sql', 'DUCKDB_CONVERSION', false],
  [
    'a constraint',
    sql('create table c (id int primary key); insert into c values (1); insert into c values (1)'),
    'sql',
    'DUCKDB_CONSTRAINT',
    false,
  ],
  ['a missing file', sql("select * from read_csv('/no/such.csv')"), 'sql', 'DUCKDB_IO', false],
  [
    'a file that is no database',
    (on) => ({ ...sql('select 1'), database: on.file('not-a.duckdb') }),
    'sql',
    'DUCKDB_IO',
    false,
  ],
  [
    'a folder that is missing',
    (on) => ({ ...sql('select 1'), database: on.file('no/such/x.duckdb') }),
    'sql',
    'DUCKDB_IO',
    false,
  ],
  [
    'out of memory',
    sql("set memory_limit = '20MB'; set temp_directory = ''; select list(range) from range(20000000)"),
    'sql',
    'DUCKDB_OUT_OF_MEMORY',
    false,
  ],
  [
    'too slow',
    { ...sql('select count(*) from range(100000000000) a, range(1000) b'), timeout: 0.5 },
    'timeout',
    'TIMEOUT',
    true,
  ],
  [
    'a parameter that is missing',
    { ...sql('select $a'), params: { b: 1 } },
    'validation',
    'INVALID_INPUT',
    false,
  ],
  ['params that are none', { ...sql('select 1'), params: 'x' }, 'validation', 'INVALID_INPUT', false],
  ['table: a name that is none', { table: 'a b', data: { a: 1 } }, 'validation', 'INVALID_TABLE', false],
  ['table: null', { table: 't', data: null }, 'validation', 'NO_DATA', false],
];

const duck = select(() => ({}), 'v');

const clauses: KindTests['clauses'] = {
  fields: { command: 'select 1' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'a folder that is missing' },
    'wrong credentials': { never: 'the engine is in the process; an attached database answers DUCKDB_IO' },
    'a malformed response': { fault: 'a file that is no database' },
    bytes: duck("'\\x00\\xFF'::blob", 'AP8='),
    NaN: duck("'nan'::double", null),
    'a decimal': duck('1.23456789012345678901::decimal(38, 20)', '1.23456789012345678901'),
    'a date': duck("timestamptz '2026-01-31 08:00:00.123456+00'", '2026-01-31T08:00:00.123456+00:00'),
    'a 64-bit integer': duck('9223372036854775807::bigint', '9223372036854775807'),
  },
};

/** Takes hours, unless the file is there. */
const LONG =
  'from (select 1 where (select count(*) from glob($2)) = 0) o, range(1000000) a, range(1000000) b where hash(a.range + b.range) = 1';

const DUCKDB: Readonly<Record<Ending, string>> = {
  success: 'select $1 as v, base64(encode($1::varchar)) as b, $2 as go',
  failure: 'select cast($1 as integer) as v, $2 as go',
  timeout: `set threads = 1; select $1 as v, count(*) as n ${LONG}`,
  crash: `set threads = 1; select $1 as v, count(*) as n ${LONG}`,
  retry: 'select cast($1 as integer) as v, $2 as go',
};

const canary: KindTests['canary'] = {
  carry: (secret, ending) => ({
    kind: 'duckdb',
    command: DUCKDB[ending],
    // Not the file that is there by the time: this one never is.
    params: [secret, ending === 'timeout' ? '{{ workload.go }}.never' : '{{ workload.go }}'],
    ...limit(ending),
  }),
  own: {
    'auth: attached Postgres': (ending) =>
      ending === 'timeout' || ending === 'crash'
        ? undefined
        : {
            kind: 'duckdb',
            auth: { pg: ending === 'success' ? 'db_secret' : 'db_refused' },
            commands: ["attach '' as pg (type postgres, secret pg)", 'select 1 as v from duckdb_secrets()'],
          },
  },
};

const examples: KindTests['examples'] = {
  duckdb: {
    set: ({ folder }) => [`database=${folder}/x.duckdb`],
    result: {
      rows: [
        { city: 'Oslo', mean: 4 },
        { city: 'Rome', mean: 18 },
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
    real: 'the engine, with `postgres_scanner` and `httpfs` from PyPI',
    not: "DuckDB's own extension server",
  },
};
