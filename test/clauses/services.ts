/** Kinds that ask services: HTTP, Google Cloud Storage, NATS, secrets, the store of large results. */
import { type Json, type JsonObject } from '../../src/language/plan';
import { type Fields } from '../faults/cell';
import { type Proof, type Row, values } from './clause';

const NO_PROTOCOL: Proof = {
  shown: 'a server that speaks no protocol is a lost connection',
  in: 'activities/faults.test.ts',
};

const asked = (path: string, data: Json, more: JsonObject = {}): Proof => ({
  gives: (on) => ({ url: `${on.origin}/${path}` }),
  result: { status_code: 200, data, ...more },
});

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

const GCS = { in: 'activities/kinds/gcs/gcs.test.ts' };
const STORED = { in: 'activities/framework/results/stored.test.ts' };

export const SERVICES: Readonly<Record<string, Row>> = {
  http: {
    fields: { url: 'http://127.0.0.1/' },
    proofs: {
      'an input that is missing': { refused: {}, code: 'NT2051' },
      'a host that cannot be reached': { fault: 'an unknown host' },
      'wrong credentials': { fault: 'answer 401' },
      // What calls itself JSON and is not is the text that it is.
      'a malformed response': asked('nan', '{"n": NaN}'),
      bytes: asked('bytes', 'if8=', { data_encoding: 'base64', content_type: 'image/png' }),
      NaN: {
        fails: ({ origin }) => ({ url: `${origin}/values/huge` }),
        as: { kind: 'validation', code: 'NUMBER_TOO_LARGE', retryable: false },
      },
      'a decimal': asked('values/half', { v: 0.5 }),
      'a date': asked('values/day', { v: '2026-01-31T08:00:00.123456Z' }),
      'a 64-bit integer': asked('values/big', { v: '9223372036854775807' }),
    },
  },
  gcs: {
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
  },
  nats: {
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
  },
  secrets: {
    fields: { provider: 'environment', secret: 'x' },
    proofs: {
      'an input that is missing': { refused: { provider: 'environment' }, code: 'NT2051' },
      'a host that cannot be reached': { fault: 'Vault: connection refused' },
      'wrong credentials': { fault: 'Vault: a token that it refuses' },
      'a malformed response': { fault: 'Vault: an answer that is no JSON' },
      ...values({ never: 'its answer is a handle, a text; the value leaves no worker' }),
    },
  },
  artifact: {
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
  },
};
