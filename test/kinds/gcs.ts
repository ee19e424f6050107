/** Google Cloud Storage: its answers, and fields that make no sense. */
import { type JsonObject } from '../../src/language/plan';
import { NO_PROTOCOL } from '../clauses/clause';
import { type Cell, type Fields, STATUSES } from '../faults/cell';
import { type Stage } from '../faults/stage';
import { SECRET, limit, gate } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const gcsAt =
  (endpoint: (on: Stage) => string, more: JsonObject = {}): Fields =>
  (on) => ({ source: 'gs://bucket/name', auth: { endpoint: endpoint(on) }, ...more });

const gcsStatus = (status: number): Fields => gcsAt((on) => `${on.origin}/status/${status}`);

const faults: readonly Cell[] = [
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

const GCS = { in: 'activities/kinds/gcs/gcs.test.ts' };

const clauses: KindTests['clauses'] = {
  fields: { source: 'gs://bucket/name' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'connection refused' },
    'wrong credentials': { fault: 'answer 401' },
    'a malformed response': NO_PROTOCOL,
    bytes: { shown: 'bytes as base64', ...GCS },
    NaN: { shown: 'JSON that is none, as the text it is', ...GCS },
    'a decimal': { shown: 'numbers and dates, none of them rounded', ...GCS },
    'a date': { shown: 'numbers and dates, none of them rounded', ...GCS },
    'a 64-bit integer': { shown: 'numbers and dates, none of them rounded', ...GCS },
  },
};

const canary: KindTests['canary'] = {
  carry: (secret, ending, at) => ({
    kind: 'gcs',
    auth: ending === 'failure' || ending === 'retry' ? 'bucket_refused' : gate('bucket', ending),
    destination: `gs://canary/${at}`,
    data: { deep: [secret] },
    ...limit(ending),
  }),
  own: {
    metadata: (ending, at) => ({
      kind: 'gcs',
      auth: ending === 'failure' || ending === 'retry' ? 'bucket_refused' : gate('bucket', ending),
      destination: `gs://canary/${at}`,
      data: 'word',
      metadata: { owner: SECRET },
      ...limit(ending),
    }),
    'auth: private key': (ending, at) =>
      ending === 'failure' || ending === 'retry'
        ? { kind: 'gcs', auth: 'bucket_account', destination: `gs://canary/${at}`, data: 'word' }
        : undefined,
  },
};

const examples: KindTests['examples'] = {
  gcs: { result: { data: { city: 'Oslo', t: 3.5 }, blob: 'archive/oslo.json' } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'gcp-storage-emulator; moto (S3), Postgres, files' },
};
