/** Fields of tools that are mappings. Each may be a template, whose value the tool checks when it runs. */
import { type Shape, type Type } from './shape';

const orTemplate = (shape: Shape): Type => ({ either: ['template', { shape: () => shape }] });

const SAVE_TO: Shape = {
  title: 'a place to save to',
  others: 'error',
  fields: {
    store: {
      type: { values: ['results'] },
      doc: '`results`, the store of large results; the task answers with a reference.',
      required: true,
    },
  },
};
/** A file of the worker, or the store. */
export const PLACE: Type = { either: ['text', { shape: () => SAVE_TO }] };

/** Of `postgres`. */
export const COPY = orTemplate({
  title: 'a copy',
  others: 'error',
  fields: {
    from: { type: 'any', doc: 'A file of the worker, or a reference.' },
    to: { type: PLACE, doc: 'A file of the worker, or `{store: results}`.' },
    table: { type: 'text', doc: 'The table.' },
    query: { type: 'text', doc: 'With `to`: the query whose rows are copied.' },
    columns: { type: { either: ['template', { list: 'text' }] }, doc: 'The columns of the table, a list.' },
    format: { type: { words: ['csv', 'text', 'binary'] }, doc: '`csv` unless written.' },
    header: { type: 'flag', doc: 'Whether the first line names the columns; true for csv.' },
    delimiter: { type: 'text', doc: 'What stands between values.' },
    null: { type: 'text', doc: 'What stands for null.' },
    encoding: { type: 'text', doc: 'The encoding, UTF8 unless written.' },
  },
});

/** Of `container`. */
export const LIMITS = orTemplate({
  title: 'limits of a container',
  others: 'error',
  words: { memory: 'memory_mb', cpu: 'cpus' },
  fields: {
    cpus: { type: 'amount', doc: 'Processors, also parts of one.' },
    memory_mb: { type: 'amount', doc: 'Megabytes of memory.' },
    pids: { type: 'amount', doc: 'Processes.' },
  },
});

/** One end of a `transfer`: the fields of its kind. */
export const SIDE = orTemplate({
  title: 'an end of a transfer',
  others: 'open',
  fields: {
    kind: {
      type: { words: ['http', 'postgres', 'duckdb', 'snowflake', 'pg', 'postgresql', 'api', 'sf'] },
      doc: '`http`, `postgres`, `duckdb` or `snowflake`.',
    },
    url: { type: 'text', doc: 'Of http: the address.' },
    query: { type: 'text', doc: 'The SQL: of a source one statement, of a target what runs for each row.' },
    table: { type: 'text', doc: 'The table, instead of `query`.' },
    data_path: { type: 'text', doc: 'Of a source by http: where the list is in the answer.' },
  },
});

/** Where code is that stands outside of the playbook. */
const SCRIPT_SOURCE: Shape = {
  title: 'the source of a script',
  others: 'open',
  fields: {
    type: {
      type: { words: ['file', 'local', 'http', 'https', 'gcs', 'gs', 's3', 'inline'] },
      doc: '`file`, `http`, `gcs`, `s3` or `inline`; by the uri unless written.',
    },
    endpoint: { type: 'text', doc: 'Of http: the address that the uri is under.' },
    headers: { type: 'any', doc: 'Of http: headers, a mapping.' },
    auth: { type: 'any', doc: 'The credential: of http, gcs and s3.' },
    bucket: { type: 'text', doc: 'Of gcs and s3, where the uri is a name only.' },
    region: { type: 'text', doc: 'Of s3, unless the credential or the environment says it.' },
    code: { type: 'text', doc: 'Of inline: the code.' },
  },
};

/** Code of a tool: SQL or a file where the kind takes text, else where to load it from. */
export const SCRIPT: Type = {
  either: [
    'text',
    { list: 'any' },
    {
      shape: () => ({
        title: 'a script',
        others: 'open',
        fields: {
          uri: {
            type: 'text',
            doc: 'A file of the worker, `https://…`, `gs://bucket/name` or `s3://bucket/name`.',
          },
          source: {
            type: { either: ['template', { shape: () => SCRIPT_SOURCE }] },
            doc: 'What the uri alone does not say.',
          },
        },
      }),
    },
  ],
};
