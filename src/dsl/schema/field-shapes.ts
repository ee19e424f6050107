/** Fields of tools that are mappings, of more than one kind. Each may be a template, whose value the tool checks when it runs. */
import { type Shape, type Type } from './shape';

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
