/** References that lead nowhere. */
import { type JsonObject } from '../../src/language/plan';
import { values } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { SECRET } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const reference = (more: JsonObject): JsonObject => ({
  ref: {
    store: 'file',
    key: `v0/ns/default/wi/noetl-1/d/sha256/${'0'.repeat(64)}`,
    checksum: `sha256:${'0'.repeat(64)}`,
    ...more,
  },
});

const faults: readonly Cell[] = [
  ['an action that is none', { action: 'delete' }, 'validation', 'INVALID_ACTION', false],
  ['nothing to store', { action: 'put' }, 'validation', 'NO_DATA', false],
  ['nothing to fetch', { action: 'get' }, 'validation', 'NO_REFERENCE', false],
  ['a number for a reference', { action: 'get', ref: 7 }, 'validation', 'INVALID_REFERENCE', false],
  ['a text for a reference', { action: 'get', ref: 'x' }, 'validation', 'INVALID_REFERENCE', false],
  ['a reference without a key', reference({ key: '' }), 'validation', 'INVALID_REFERENCE', false],
  ['a checksum that is none', reference({ checksum: 'md5:1' }), 'validation', 'INVALID_REFERENCE', false],
  ['a part', reference({ range: '/a' }), 'validation', 'INVALID_REFERENCE', false],
  ['a value of history', reference({ store: 'history' }), 'validation', 'NOT_STORED', false],
  ['another store', reference({ store: 's3://elsewhere' }), 'validation', 'OTHER_STORE', false],
  ['a value that is gone', reference({}), 'not_found', 'BLOB_MISSING', false],
  ['a key outside of the store', reference({ key: '../../etc/passwd' }), 'not_found', 'BLOB_MISSING', false],
];

const STORED = { in: 'activities/framework/results/stored.test.ts' };

const clauses: KindTests['clauses'] = {
  fields: { action: 'put', data: [1] },
  proofs: {
    'an input that is missing': { fault: 'nothing to fetch' },
    'a host that cannot be reached': {
      shown: 'a store that nobody can reach is an outcome, and the rest of the answer is not read',
      ...STORED,
    },
    'wrong credentials': {
      shown: 'a store that cannot be reached says so at the start, without its password',
      in: 'test/integration/stores.test.ts',
    },
    'a malformed response': {
      shown: 'keeps what the kind artifact puts, and tells what became of it',
      in: 'test/integration/stores.test.ts',
    },
    ...values({
      never: 'what is put is a value of the run, which is JSON already, and get gives it back as it is',
    }),
    bytes: { shown: 'artifact get answers with a body that is small: %s', ...STORED },
  },
};

const canary: KindTests['canary'] = {
  own: {
    'stored value': (ending) =>
      ending === 'failure' || ending === 'retry'
        ? { kind: 'artifact', action: 'put', data: { deep: [SECRET] } }
        : undefined,
  },
  cannot: {
    data: 'refused: it would be stored in plaintext (SECRET_REFUSED)',
    success: 'refused: it would be stored in plaintext (SECRET_REFUSED)',
    timeout: 'refused before anything is stored',
    crash: 'refused before anything is stored',
  },
};

const examples: KindTests['examples'] = {
  artifact: { result: { last: 998001, shape: { type: 'object', keys: ['rows'] } } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'gcp-storage-emulator; moto (S3), Postgres, files' },
};
