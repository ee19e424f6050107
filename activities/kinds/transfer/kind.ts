/** Rows from one store to another. */
import { type FieldType, type KindDeclaration } from '../../../src/kinds/declaration';

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
            type: { words: ['http', 'postgres', 'duckdb', 'snowflake', 'pg', 'postgresql', 'api', 'sf'] },
            doc: '`http`, `postgres`, `duckdb` or `snowflake`.',
          },
          url: { type: 'text', doc: 'Of http: the address.' },
          query: {
            type: 'text',
            doc: 'The SQL: of a source one statement, of a target what runs for each row.',
          },
          table: { type: 'text', doc: 'The table, instead of `query`.' },
          data_path: { type: 'text', doc: 'Of a source by http: where the list is in the answer.' },
        },
      }),
    },
  ],
};

export const transfer: KindDeclaration = {
  doc: 'Copies rows from one store to another, in chunks.',
  closed: true,
  inputs: 'templates',
  fields: {
    source:
      'From: `{kind: http | postgres | duckdb | snowflake, auth, query, …}` with the fields of that kind.',
    target: 'To: `{kind, auth, table, …}` with the fields of that kind.',
    mode: '`append` unless written; `replace` or `upsert`.',
    key: 'The column or columns that tell rows apart in an upsert.',
    mapping:
      'Columns of the target by fields of the source, `{id: user.id}`; all fields by their names unless written.',
    chunk_size: 'Rows at a time, 1000 unless written.',
    timeout: 'Seconds for the whole.',
    timeout_seconds: 'The same as `timeout`.',
  },
  required: [['source'], ['target']],
  exclusive: [['timeout', 'timeout_seconds']],
  strict: ['source', 'target'],
  sides: ['source', 'target'],
  types: { source: END, target: END },
  timeout: 600,
};
