/** References that lead nowhere. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell } from './cell';

const reference = (more: JsonObject): JsonObject => ({
  ref: {
    store: 'file',
    key: `v0/ns/default/wi/noetl-1/d/sha256/${'0'.repeat(64)}`,
    checksum: `sha256:${'0'.repeat(64)}`,
    ...more,
  },
});

export const artifact: readonly Cell[] = [
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
