/** Transfers: each end has faults of its own, and the error says which end. */
import { type Json, type JsonObject } from '../../src/language/plan';
import { type Proof } from '../clauses/clause';
import { type Cell, type Fields } from '../faults/cell';
import { type Stage } from '../faults/stage';
import { HEADER, limit, from, type Ending, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const moved =
  (source: JsonObject | Fields, target: JsonObject | Fields = {}) =>
  (on: Stage): JsonObject => ({
    source: typeof source === 'function' ? source(on) : source,
    target: typeof target === 'function' ? target(on) : { kind: 'duckdb', table: 't', ...target },
  });

const faults: readonly Cell[] = [
  ['no source', () => ({ target: { kind: 'duckdb', table: 't' } }), 'validation', 'INVALID_SOURCE', false],
  ['no target', { source: { kind: 'duckdb', query: 'select 1' } }, 'validation', 'INVALID_TARGET', false],
  ['a source of no kind', moved({ query: 'select 1' }), 'validation', 'INVALID_SOURCE', false],
  ['a source of an unknown kind', moved({ kind: 'oracle' }), 'validation', 'INVALID_SOURCE', false],
  ['a source without a query', moved({ kind: 'duckdb' }), 'validation', 'INVALID_SOURCE', false],
  [
    'a target without a table',
    moved({ kind: 'duckdb', query: 'select 1' }, { table: null }),
    'validation',
    'INVALID_TARGET',
    false,
  ],
  ['a missing table', moved({ kind: 'duckdb', query: 'select 1 as a' }), 'sql', 'DUCKDB_CATALOG', false],
  ['a source whose SQL is wrong', moved({ kind: 'duckdb', query: 'selec' }), 'sql', 'DUCKDB_PARSER', false],
  [
    'a source that answers 503',
    moved((on) => ({ kind: 'http', url: `${on.origin}/status/503` })),
    'server_error',
    'HTTP_503',
    true,
  ],
  [
    'a source that is not there',
    moved({ kind: 'http', url: 'http://127.0.0.1:1' }),
    'connection',
    'CONNECTION_REFUSED',
    true,
  ],
  [
    'a mode that is none',
    moved({ kind: 'duckdb', query: 'select 1' }, { mode: 'merge' }),
    'validation',
    'INVALID_MODE',
    false,
  ],
  [
    'chunks of nothing',
    (on) => ({ ...moved({ kind: 'duckdb', query: 'select 1' })(on), chunk_size: 0 }),
    'validation',
    'INVALID_CHUNK_SIZE',
    false,
  ],
  [
    'a mapping that is none',
    (on) => ({ ...moved({ kind: 'duckdb', query: 'select 1' })(on), mapping: 'x' }),
    'validation',
    'INVALID_MAPPING',
    false,
  ],
  [
    'a wrong password of the target',
    moved({ kind: 'duckdb', query: 'select 1 as id' }, (on) => ({
      kind: 'postgres',
      table: 't',
      auth: { type: 'postgres', ...on.pg.data, db_user: 'nobody', db_password: 'wrong-password' },
    })),
    'auth',
    'SQLSTATE_28P01',
    false,
  ],
  [
    'a target that refuses a row',
    moved({ kind: 'duckdb', query: 'select 1 as id, 1 as n' }, () => ({
      kind: 'postgres',
      table: 't',
      auth: 'pg_local',
    })),
    'sql',
    'SQLSTATE_23505',
    false,
  ],
  [
    'an answer that is no data',
    moved(
      (on) => ({ kind: 'http', url: `${on.origin}/html` }),
      () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
    ),
    'server_error',
    'BAD_JSON',
    true,
  ],
  [
    'rows that are none',
    moved(
      (on) => ({ kind: 'http', url: `${on.origin}/json`, data_path: 'rows' }),
      () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
    ),
    'validation',
    'INVALID_DATA',
    false,
  ],
  [
    'a path that leads nowhere',
    moved(
      (on) => ({ kind: 'http', url: `${on.origin}/json`, data_path: 'items' }),
      () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
    ),
    'validation',
    'INVALID_SOURCE',
    false,
  ],
];

/** From DuckDB into a table of Postgres with a column of `type`, and read there. */
const arrived = (expression: string, type: string, v: Json): Proof => ({
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

const clauses: KindTests['clauses'] = {
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
    bytes: arrived("'\\x00\\xFF'::blob", 'bytea', 'AP8='),
    // JSON has no NaN: it is null on its way.
    NaN: arrived("'nan'::double", 'float8', null),
    'a decimal': arrived('1.23456789012345678901::decimal(38, 20)', 'numeric', '1.23456789012345678901'),
    'a date': arrived("date '2026-01-31'", 'date', '2026-01-31'),
    'a 64-bit integer': arrived('9223372036854775807::bigint', 'int8', '9223372036854775807'),
  },
};

const transfer = (ending: Ending, source: Tool, target: Tool = {}): Tool => ({
  kind: 'transfer',
  source: { kind: 'http', method: 'GET', data_path: 'rows', ...source },
  target: { kind: 'http', url: '{{ workload.url }}/success/transfer/target', ...target },
  ...limit(ending),
});

const canary: KindTests['canary'] = {
  carry: (secret, ending, at) => transfer(ending, { url: from(ending, at), params: { k: secret } }),
  own: {
    'source: auth': (ending, at) => transfer(ending, { url: from(ending, at), auth: 'bearer' }),
    'target: auth': (ending, at) =>
      transfer(ending, { url: from('success', `${at}/source`) }, { url: from(ending, at), auth: 'basic' }),
    'target: header': (ending, at) =>
      transfer(
        ending,
        { url: from('success', `${at}/source`) },
        { url: from(ending, at), headers: { 'x-secret': HEADER } },
      ),
  },
};

const examples: KindTests['examples'] = {
  transfer: {
    set: ({ api, folder }) => [`api_url=${api}`, `database=${folder}/transfer.duckdb`],
    result: { fetched: 3, loaded: 3 },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'every combination of source and target' },
};
