/** NATS: what JetStream answers, and operations that lack something. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell, type Fields } from './cell';

const busAt =
  (operation: string, more: JsonObject = {}): Fields =>
  (on) => ({ operation, auth: { nats_url: on.bus.url }, ...more });

export const nats: readonly Cell[] = [
  ['an operation that is none', busAt('kv_rename'), 'validation', 'INVALID_OPERATION', false],
  ['no operation', (on) => ({ auth: { nats_url: on.bus.url } }), 'validation', 'INVALID_OPERATION', false],
  ['no bucket', busAt('kv_get', { key: 'k' }), 'validation', 'MISSING_FIELD', false],
  ['no key', busAt('kv_get', { bucket: 'b' }), 'validation', 'MISSING_FIELD', false],
  ['no value', busAt('kv_put', { bucket: 'b', key: 'k' }), 'validation', 'MISSING_FIELD', false],
  ['no credential', { operation: 'kv_get', bucket: 'b', key: 'k' }, 'validation', 'NO_CREDENTIAL', false],
  [
    'a credential without a server',
    { operation: 'kv_get', bucket: 'b', key: 'k', auth: { nats_user: 'x' } },
    'auth',
    'CREDENTIAL_INVALID',
    false,
  ],
  [
    'connection refused',
    { operation: 'kv_get', bucket: 'b', key: 'k', auth: { nats_url: 'nats://127.0.0.1:1' } },
    'connection',
    'ECONNREFUSED',
    true,
  ],
  ['no such stream', busAt('js_stream_info', { stream: 'nope' }), 'not_found', 'NATS_10059', false],
  [
    'a message of no stream',
    busAt('js_get_msg', { stream: 'nope', seq: 1 }),
    'not_found',
    'NATS_10059',
    false,
  ],
  [
    'a subject of no stream',
    busAt('js_publish', { subject: 'nobody.listens', data: 1 }),
    'not_found',
    'NO_STREAM',
    false,
  ],
  [
    'base64 that is none',
    busAt('kv_put', { bucket: 'b', key: 'k', value: '!', encoding: 'base64' }),
    'validation',
    'INVALID_DATA',
    false,
  ],
];
