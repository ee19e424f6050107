/** Google Cloud Storage: its answers, and fields that make no sense. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell, type Fields, STATUSES } from './cell';
import { type Stage } from './stage';

const gcsAt =
  (endpoint: (on: Stage) => string, more: JsonObject = {}): Fields =>
  (on) => ({ source: 'gs://bucket/name', auth: { endpoint: endpoint(on) }, ...more });
const gcsStatus = (status: number): Fields => gcsAt((on) => `${on.origin}/status/${status}`);

export const gcs: readonly Cell[] = [
  ...STATUSES.map(([status, kind, retryable]): Cell => [
    `answer ${status}`,
    gcsStatus(status),
    kind,
    `GCS_${status}`,
    retryable,
  ]),
  ['connection refused', gcsAt(() => 'http://127.0.0.1:1'), 'connection', 'ECONNREFUSED', true],
  ['no place', {}, 'validation', 'INVALID_PLACE', false],
  ['a place that is none', { source: 'gs://' }, 'validation', 'INVALID_PLACE', false],
  [
    'an action that is none',
    { action: 'move', source: 'gs://bucket/x' },
    'validation',
    'INVALID_ACTION',
    false,
  ],
  [
    'a file that is missing',
    (on) => ({ source: on.file('none'), destination: 'gs://bucket/x', auth: { endpoint: on.origin } }),
    'not_found',
    'FILE_NOT_FOUND',
    false,
  ],
  [
    'a folder for a file',
    (on) => ({ source: on.folder, destination: 'gs://bucket/x', auth: { endpoint: on.origin } }),
    'validation',
    'FILE_UNREADABLE',
    false,
  ],
  [
    'base64 that is none',
    (on) => ({ data: '!', encoding: 'base64', destination: 'gs://bucket/x', auth: { endpoint: on.origin } }),
    'validation',
    'INVALID_DATA',
    false,
  ],
  [
    'a service account that is none',
    { source: 'gs://bucket/x', auth: { service_account_json: '{}' } },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  [
    'an unknown credential',
    { source: 'gs://bucket/x', auth: 'nobody' },
    'auth',
    'CREDENTIAL_NOT_FOUND',
    false,
  ],
  ['too slow', gcsAt((on) => `${on.origin}/slow`, { timeout: 0.5 }), 'timeout', 'TIMEOUT', true],
];
