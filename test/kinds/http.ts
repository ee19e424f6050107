/** Requests: what servers answer, and what happens instead of an answer. */
import { type Json, type JsonObject } from '../../src/language/plan';
import { type Proof } from '../clauses/clause';
import { type Cell, type Fields, requestFaults } from '../faults/cell';
import { SECRET, HEADER, limit, from, type Ending, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const at =
  (where: string, more: JsonObject = {}): Fields =>
  (on) => ({ url: `${on.origin}/${where}`, ...more });
const to =
  (url: string): Fields =>
  () => ({ url });

const faults: readonly Cell[] = [
  ...requestFaults(at, to),
  ['no url', {}, 'validation', 'INVALID_URL', false],
  ['a url that is none', { url: 'not a url' }, 'validation', 'INVALID_URL', false],
  ['another protocol', { url: 'ftp://127.0.0.1/x' }, 'validation', 'INVALID_URL', false],
  ['redirects without end', at('loop'), 'client_error', 'TOO_MANY_REDIRECTS', false],
  ['a body that is not gzip', at('gzip'), 'server_error', 'BAD_ENCODING', true],
  [
    'a file that cannot be written',
    (on) => ({ url: `${on.origin}/big`, save_to: `${on.file('plain')}/x` }),
    'exception',
    'FILE_UNWRITABLE',
    false,
  ],
  [
    'TLS to a plain server',
    (on) => ({ url: on.origin.replace('http', 'https') }),
    'connection',
    'TLS_ERROR',
    false,
  ],
  [
    'a body file that is missing',
    (on) => ({ url: on.origin, method: 'POST', body_file: on.file('none') }),
    'not_found',
    'FILE_NOT_FOUND',
    false,
  ],
];

const asked = (path: string, data: Json, more: JsonObject = {}): Proof => ({
  gives: (on) => ({ url: `${on.origin}/${path}` }),
  result: { status_code: 200, data, ...more },
});

const clauses: KindTests['clauses'] = {
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
};

/** The server answers by the first word of the path, and is told the place by the rest. */
const http = (ending: Ending, at: string, more: Tool = {}): Tool => ({
  kind: 'http',
  url: `{{ workload.url }}/${ending}/${at}`,
  method: 'POST',
  ...limit(ending),
  ...more,
});

const canary: KindTests['canary'] = {
  carry: (secret, ending, at) => http(ending, at, { json: { deep: [secret] } }),
  own: {
    'auth: bearer': (ending, at) => http(ending, at, { auth: 'bearer' }),
    'auth: basic': (ending, at) => http(ending, at, { auth: 'basic' }),
    'auth: API key, header': (ending, at) => http(ending, at, { auth: 'keyed' }),
    'auth: API key, query': (ending, at) => http(ending, at, { auth: 'asked' }),
    'auth: entry of the keychain': (ending, at) => http(ending, at, { auth: 'token' }),
    header: (ending, at) => http(ending, at, { headers: { 'x-secret': HEADER } }),
    query: (ending, at) => http(ending, at, { params: { k: SECRET } }),
    address: (ending, at) => ({ ...http(ending, at), url: `${from(ending, at)}?k=${HEADER}` }),
    form: (ending, at) => http(ending, at, { form: { k: SECRET } }),
  },
};

const examples: KindTests['examples'] = {
  http: {
    set: ({ api }) => [`api_url=${api}`],
    result: { status_code: 200, data: { paging: { page: 1 }, data: { length: 3 } } },
  },
  http_to_store: {
    set: ({ api }) => [`api_url=${api}`],
    result: {
      means: [
        { city: 'Lima', mean: 7.75 },
        { city: 'Oslo', mean: 6.75 },
        { city: 'Rome', mean: 7.25 },
      ],
      lines: 30_001,
    },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'servers, proxies and TLS of Node' },
};
