/** Rows from one store to another. */
import { type FieldType, type KindDeclaration } from '../declaration';
import { TIMEOUT } from '../fields';

const KINDS = { pg: 'postgres', postgresql: 'postgres', api: 'http', sf: 'snowflake' };

/** One end of a transfer: the fields of its kind. */
const END: FieldType = {
  either: [
    'template',
    {
      shape: () => ({
        title: 'an end of a transfer',
        others: 'open',
        fields: {
          kind: {
            type: { words: ['http', 'postgres', 'duckdb', 'snowflake', ...Object.keys(KINDS)] },
            doc: '`http`, `postgres`, `duckdb` or `snowflake`.',
          },
          url: { type: 'text', doc: 'http: the address.' },
          query: {
            type: 'text',
            doc: 'The SQL: for a source one statement, for a target the statement that runs for each row.',
          },
          table: { type: 'text', doc: 'The table, instead of `query`.' },
          data_path: { type: 'text', doc: 'http source: the path of the list in the response.' },
        },
      }),
    },
  ],
};

export const transferKind: KindDeclaration = {
  doc: 'Copies rows from one store to another, in chunks.',
  closed: true,
  sandbox: {},
  inputs: 'templates',
  fields: {
    source:
      'The source: `{kind: http | postgres | duckdb | snowflake, auth, query, …}` with the fields of that kind.',
    target: 'The target: `{kind, auth, table, …}` with the fields of that kind.',
    mode: '`append` (default), `replace` or `upsert`.',
    key: 'The column or columns that identify a row in an upsert.',
    mapping:
      'Columns of the target by fields of the source, `{id: user.id}`; default all fields by their names.',
    chunk_size: 'Rows per chunk; default 1000.',
    ...TIMEOUT,
  },
  required: [['source'], ['target']],
  exclusive: [['timeout', 'timeout_seconds']],
  strict: ['source', 'target'],
  sides: ['source', 'target'],
  sideKinds: KINDS,
  types: { source: END, target: END },
  timeout: 600,
  delivery: {
    killed:
      '`append` into tables: all or nothing, then again; `upsert`: exactly once by its key, from the last committed chunk',
    atMostOnce: 'at most once, possibly a part',
  },
};
