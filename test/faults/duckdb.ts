/** SQL of the embedded engine. */
import { type Cell, sql } from './cell';

export const duckdb: readonly Cell[] = [
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
