/** Objects of Google Cloud Storage. */
import { HMAC, SERVICE_ACCOUNT } from '../credentials';
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';
import { type Dataset, type Datasets, type ToolFields, fileNamed } from '../lineage';

function used({ source, destination, action }: ToolFields): Partial<Datasets> {
  if (typeof action === 'string' && /^(list|delete)$/i.test(action)) return {};
  const object = (value: unknown): Dataset[] => (typeof value === 'string' ? fileNamed(value) : []);
  return { inputs: object(source), outputs: object(destination) };
}

export const gcsKind: KindDeclaration = {
  doc: 'Uploads, downloads, copies, reads, writes, lists and deletes objects of Google Cloud Storage.',
  closed: true,
  inputs: 'templates',
  fields: {
    source:
      'A file of the worker, a reference, or `gs://bucket/name`; with a trailing slash, all objects with that prefix.',
    destination:
      '`gs://bucket/name`, a file of the worker, or `{store: results}`, the store of large results.',
    action:
      '`upload`, `download`, `copy`, `read`, `write`, `list`, `delete`; default from source and destination.',
    data: 'The content to write to `destination`, instead of a file.',
    encoding: '`base64`: `data` is bytes as base64.',
    content_type: 'The type of the content.',
    metadata: 'Metadata of the object, a mapping.',
    response_type: 'With `read`: `json`, `text` or `binary`; default from the content type.',
    max_bytes: 'With `read`: the maximum object size; default 32 MiB.',
    max_results: 'With `list`: the maximum number of objects; default 1000.',
    ...AUTH,
    ...TIMEOUT,
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
  probe: { action: 'list', source: '{{ workload.url }}', max_results: 1 },
  // An emulator needs no credentials.
  credentials: [{ names: ['gcs_hmac', 'gcs'], forms: [HMAC, SERVICE_ACCOUNT, [['endpoint']]] }],
  lineage: { uses: used },
  packages: ['@google-cloud/storage'],
  timeout: 300,
  delivery: { killed: 'at least once, with the same content in the same place' },
};
