/** Requests: what servers answer, and what happens instead of an answer. */
import { type Cell, type Fields, STATUSES } from './cell';

const at =
  (where: string): Fields =>
  (on) => ({ url: `${on.origin}/${where}` });

export const http: readonly Cell[] = [
  ...STATUSES.map(([status, kind, retryable]): Cell => [
    `answer ${status}`,
    at(`status/${status}`),
    kind,
    `HTTP_${status}`,
    retryable,
  ]),
  ['no url', {}, 'validation', 'INVALID_URL', false],
  ['a url that is none', { url: 'not a url' }, 'validation', 'INVALID_URL', false],
  ['another protocol', { url: 'ftp://127.0.0.1/x' }, 'validation', 'INVALID_URL', false],
  ['connection refused', { url: 'http://127.0.0.1:1/' }, 'connection', 'CONNECTION_REFUSED', true],
  ['an unknown host', { url: 'http://no-such-host.invalid/' }, 'connection', 'DNS_NOT_FOUND', true],
  ['metadata address', { url: 'http://169.254.169.254/' }, 'validation', 'ADDRESS_DENIED', false],
  ['reset before the answer', at('reset'), 'connection', 'CONNECTION_LOST', true],
  ['reset mid-body', at('half'), 'connection', 'CONNECTION_LOST', true],
  ['no answer', (on) => ({ url: `${on.origin}/slow`, timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
  ['a stalled body', (on) => ({ url: `${on.origin}/stall`, timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
  ['redirects without end', at('loop'), 'client_error', 'TOO_MANY_REDIRECTS', false],
  ['a body that is not gzip', at('gzip'), 'server_error', 'BAD_ENCODING', true],
  [
    'too large',
    (on) => ({ url: `${on.origin}/big`, max_response_bytes: 100 }),
    'validation',
    'RESPONSE_TOO_LARGE',
    false,
  ],
  [
    'a file that cannot be written',
    (on) => ({ url: `${on.origin}/big`, save_to: `${on.file('plain')}/x` }),
    'exception',
    'FILE_UNWRITABLE',
    false,
  ],
  [
    'a bad header',
    (on) => ({ url: on.origin, headers: { 'a b': 'c' } }),
    'validation',
    'INVALID_HEADER',
    false,
  ],
  [
    'an unknown credential',
    (on) => ({ url: on.origin, auth: 'nobody' }),
    'auth',
    'CREDENTIAL_NOT_FOUND',
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
