/**
 * Tool fields that are mappings, shared by several kinds. Each may be a template, whose value the tool checks at
 * run time.
 */
import { type Shape, type Type } from './shape';

/** The location of code outside the playbook. */
const SCRIPT_SOURCE: Shape = {
  title: 'the source of a script',
  others: 'open',
  fields: {
    type: {
      type: { words: ['file', 'local', 'http', 'https', 'gcs', 'gs', 's3', 'inline'] },
      doc: '`file`, `http`, `gcs`, `s3` or `inline`; default from the uri.',
    },
    endpoint: { type: 'text', doc: 'http: the base address of the uri.' },
    headers: { type: 'any', doc: 'http: headers, a mapping.' },
    auth: { type: 'any', doc: 'http, gcs, s3: the credential.' },
    bucket: { type: 'text', doc: 'gcs, s3: the bucket, if the uri is only a name.' },
    region: { type: 'text', doc: 's3: the region, unless the credential or the environment sets it.' },
    code: { type: 'text', doc: 'inline: the code.' },
  },
};

/** Code of a tool: SQL or a file if the kind takes text, otherwise where to load it from. */
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
            doc: 'What the uri alone does not specify.',
          },
        },
      }),
    },
  ],
};
