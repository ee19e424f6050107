/** NATS: what JetStream answers, and operations that lack something. */
import { type Json, type JsonObject } from '../../src/language/plan';
import { type Proof, NO_PROTOCOL } from '../clauses/clause';
import { type Cell, type Fields } from '../faults/cell';
import { limit, gate } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const busAt =
  (operation: string, more: JsonObject = {}): Fields =>
  (on) => ({ operation, auth: { nats_url: on.bus.url }, ...more });

const faults: readonly Cell[] = [
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

const onBus =
  (operation: string, more: JsonObject): Fields =>
  (on) => ({ operation, bucket: 'clauses', auth: { nats_url: on.bus.url }, ...more });

/** A text that somebody put, read as data. */
const kept = (key: string, put: JsonObject, get: JsonObject, value: Json): Proof => ({
  gives: [
    ['nats', onBus('kv_put', { key, ...put })],
    ['nats', onBus('kv_get', { key, ...get })],
  ],
  result: { status: 'success', value },
});

const clauses: KindTests['clauses'] = {
  fields: { operation: 'kv_get', bucket: 'b', key: 'k', auth: 'bus' },
  proofs: {
    'an input that is missing': { fault: 'no bucket' },
    'a host that cannot be reached': { fault: 'connection refused' },
    'wrong credentials': { shown: 'NOT_AUTHORIZED', in: 'activities/kinds/nats/login.test.ts' },
    'a malformed response': NO_PROTOCOL,
    bytes: kept('bytes', { value: 'AP8=', encoding: 'base64' }, { encoding: 'base64' }, 'AP8='),
    NaN: kept('nan', { value: '{"n": NaN}' }, {}, '{"n": NaN}'),
    'a decimal': kept('half', { value: { n: 0.5 } }, {}, { n: 0.5 }),
    'a date': kept('day', { value: { at: '2026-01-31' } }, {}, { at: '2026-01-31' }),
    'a 64-bit integer': kept(
      'big',
      { value: '{"n": 9223372036854775807}' },
      {},
      { n: '9223372036854775807' },
    ),
  },
};

const canary: KindTests['canary'] = {
  carry: (secret, ending, at) => ({
    kind: 'nats',
    auth: gate('bus', ending),
    operation: 'kv_put',
    bucket: 'canary',
    key: at.replaceAll('/', '.'),
    value: { deep: [secret] },
    ...(ending === 'failure' || ending === 'retry' ? { revision: 99 } : {}),
    ...limit(ending),
  }),
  own: {
    'auth: password': (ending) => ({
      kind: 'nats',
      auth: ending === 'failure' || ending === 'retry' ? 'bus_refused' : gate('bus', ending),
      operation: 'kv_put',
      bucket: 'canary',
      key: 'word',
      value: 'word',
      ...limit(ending),
    }),
  },
};

const examples: KindTests['examples'] = {
  nats: { result: { status: 'success', value: { t: 4.5 }, revision: 2 } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'nats-server 2.9: every login, TLS, JetStream' },
};
