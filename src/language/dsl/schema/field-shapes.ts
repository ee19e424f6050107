/**
 * Tool fields that are mappings, shared by several kinds. Each may be a template, whose value the tool checks at
 * run time.
 */
import { type SchemaShape, shape, type Type } from './shape';
import * as field from './fields';

/** The location of code outside the playbook. */
const SCRIPT_SOURCE: SchemaShape = shape('the source of a script', 'open', {
  type: field.of(
    { words: ['file', 'local', 'http', 'https', 'gcs', 'gs', 's3', 'inline'] },
    '`file`, `http`, `gcs`, `s3` or `inline`; default from the uri.',
  ),
  endpoint: field.anyTextField('http: the base address of the uri.'),
  headers: field.any('http: headers, a mapping.'),
  auth: field.any('http, gcs, s3: the credential.'),
  bucket: field.anyTextField('gcs, s3: the bucket, if the uri is only a name.'),
  region: field.anyTextField('s3: the region, unless the credential or the environment sets it.'),
  code: field.anyTextField('inline: the code.'),
});

/** Code of a tool: SQL or a file if the kind takes text, otherwise where to load it from. */
export const SCRIPT: Type = {
  either: [
    'text',
    { list: 'any' },
    {
      shape: () =>
        shape('a script', 'open', {
          uri: field.anyTextField(
            'A file of the worker, `https://…`, `gs://bucket/name` or `s3://bucket/name`.',
          ),
          source: field.either(
            ['template', { shape: () => SCRIPT_SOURCE }],
            'What the uri alone does not specify.',
          ),
        }),
    },
  ],
};
