/** Objects of Google Cloud Storage. */
import { HMAC, SERVICE_ACCOUNT } from '../../../src/kinds/credentials';
import { type KindDeclaration } from '../../../src/kinds/declaration';
import { AUTH } from '../../../src/kinds/fields';

export const gcs: KindDeclaration = {
  doc: 'Objects of Google Cloud Storage: uploads, downloads, copies, reads, writes, lists and deletes them.',
  closed: true,
  inputs: 'templates',
  fields: {
    source:
      'A file of the worker, a reference, or `gs://bucket/name`; with a slash at its end, what begins so.',
    destination:
      '`gs://bucket/name`, a file of the worker, or `{store: results}`, the store of large results.',
    action:
      '`upload`, `download`, `copy`, `read`, `write`, `list`, `delete`; by source and destination unless written.',
    data: 'What to write to `destination`, instead of a file.',
    encoding: '`base64`: `data` is bytes as base64.',
    content_type: 'The type of the content.',
    metadata: 'Metadata of the object, a mapping.',
    response_type: 'With `read`: `json`, `text` or `binary`; by the content type unless written.',
    max_bytes: 'With `read`: the largest object, 32 MiB unless written.',
    max_results: 'With `list`: the most objects, 1000 unless written.',
    ...AUTH,
    timeout: 'Seconds for the whole.',
    timeout_seconds: 'The same as `timeout`.',
  },
  required: [['source', 'data']],
  exclusive: [
    ['source', 'data'],
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
  ],
  strict: ['source', 'destination', 'auth', 'credential'],
  types: {
    action: { words: ['upload', 'download', 'copy', 'read', 'write', 'list', 'delete'] },
  },
  // An emulator is asked without credentials.
  credentials: [{ names: ['gcs_hmac', 'gcs'], forms: [HMAC, SERVICE_ACCOUNT, [['endpoint']]] }],
  packages: ['@google-cloud/storage'],
  timeout: 300,
};
