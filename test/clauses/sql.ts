/** Kinds that speak SQL, and `transfer` between them. */
import { type Json } from '../../src/language/plan';
import { sf } from '../faults/stage';
import { type Fields } from '../faults/cell';
import { type Proof, type Row } from './clause';

const NO_PROTOCOL: Proof = {
  shown: 'a server that speaks no protocol is a lost connection',
  in: 'activities/faults.test.ts',
};

const one =
  (expression: string, more: Fields): Fields =>
  (on) => ({ query: `select ${expression} as v`, ...more(on) });

/** What `select <expression> as v` answers; `name` is what the database makes of `v`. */
const select =
  (more: Fields, name: string) =>
  (expression: string, v: Json): Proof => ({
    gives: one(expression, more),
    result: { rows: [{ [name]: v }], row_count: 1 },
  });

const pg = select(() => ({ auth: 'pg_local' }), 'v');
const duck = select(() => ({}), 'v');
const snow = select((on) => ({ auth: sf(on, {}) }), 'V');

/** From DuckDB into a table of Postgres with a column of `type`, and read there. */
const moved = (expression: string, type: string, v: Json): Proof => ({
  gives: [
    ['postgres', { auth: 'pg_local', command: `drop table if exists moved; create table moved (v ${type})` }],
    [
      'transfer',
      {
        source: { kind: 'duckdb', query: `select ${expression} as v` },
        target: { kind: 'postgres', auth: 'pg_local', table: 'moved' },
      },
    ],
    ['postgres', { auth: 'pg_local', query: 'select v from moved' }],
  ],
  result: { rows: [{ v }], row_count: 1 },
});

export const SQL: Readonly<Record<string, Row>> = {
  postgres: {
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
  },
  duckdb: {
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
  },
  snowflake: {
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
  },
  transfer: {
    fields: {
      source: { kind: 'duckdb', query: 'select 1 as id' },
      target: { kind: 'postgres', auth: 'pg_local', table: 't' },
    },
    proofs: {
      'an input that is missing': {
        refused: { source: { kind: 'duckdb', query: 'select 1' } },
        code: 'NT2051',
      },
      'a host that cannot be reached': { fault: 'a source that is not there' },
      'wrong credentials': { fault: 'a wrong password of the target' },
      'a malformed response': { fault: 'an answer that is no data' },
      bytes: moved("'\\x00\\xFF'::blob", 'bytea', 'AP8='),
      // JSON has no NaN: it is null on its way.
      NaN: moved("'nan'::double", 'float8', null),
      'a decimal': moved('1.23456789012345678901::decimal(38, 20)', 'numeric', '1.23456789012345678901'),
      'a date': moved("date '2026-01-31'", 'date', '2026-01-31'),
      'a 64-bit integer': moved('9223372036854775807::bigint', 'int8', '9223372036854775807'),
    },
  },
};
