/** Transfers: each end has faults of its own, and the error says which end. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell, type Fields } from './cell';
import { type Stage } from './stage';

const moved =
  (source: JsonObject | Fields, target: JsonObject | Fields = {}) =>
  (on: Stage): JsonObject => ({
    source: typeof source === 'function' ? source(on) : source,
    target: typeof target === 'function' ? target(on) : { kind: 'duckdb', table: 't', ...target },
  });

export const transfer: readonly Cell[] = [
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
