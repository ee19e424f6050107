/**
 * Kind × fault: what each tool says of what can go wrong. The cells were written from the documentation of the kinds
 * and docs/design/delivery.md before they were run; one that differs is a mistake of the tool, or of its
 * documentation.
 */
import { type ErrorKind, type JsonObject } from '../../src/language/plan';
import { type Stage } from './stage';

/** Fields of a task, from what was started. */
export type Fields = (on: Stage) => JsonObject;

/** The fault, the fields that meet it, and what the outcome has to say. */
export type Cell = readonly [
  fault: string,
  config: JsonObject | Fields,
  kind: ErrorKind,
  code: string,
  retryable: boolean,
];

export const sql = (command: string): JsonObject => ({ command });

/** What a status of HTTP means, whoever answers it. */
export const STATUSES: readonly (readonly [number, ErrorKind, boolean])[] = [
  [400, 'client_error', false],
  [401, 'auth', false],
  [403, 'auth', false],
  [404, 'not_found', false],
  [408, 'timeout', true],
  [409, 'client_error', false],
  [410, 'client_error', false],
  [413, 'client_error', false],
  [422, 'client_error', false],
  [429, 'rate_limit', true],
  [500, 'server_error', true],
  [502, 'server_error', true],
  [503, 'server_error', true],
  [504, 'server_error', true],
];

/**
 * What a kind that makes requests says of servers that do not answer as they should: `at` names a path of the stage's
 * server, `to` an address.
 */
export function requestFaults(
  at: (where: string, more?: JsonObject) => Fields,
  to: (address: string) => Fields,
): readonly Cell[] {
  return [
    ...STATUSES.map(([status, kind, retryable]): Cell => [
      `answer ${status}`,
      at(`status/${status}`),
      kind,
      `HTTP_${status}`,
      retryable,
    ]),
    ['connection refused', to('http://127.0.0.1:1/'), 'connection', 'CONNECTION_REFUSED', true],
    ['an unknown host', to('http://no-such-host.invalid/'), 'connection', 'DNS_NOT_FOUND', true],
    ['metadata address', to('http://169.254.169.254/'), 'validation', 'ADDRESS_DENIED', false],
    ['reset before the answer', at('reset'), 'connection', 'CONNECTION_LOST', true],
    ['reset mid-body', at('half'), 'connection', 'CONNECTION_LOST', true],
    ['no answer', at('slow', { timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
    ['a stalled body', at('stall', { timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
    ['too large', at('big', { max_response_bytes: 100 }), 'validation', 'RESPONSE_TOO_LARGE', false],
    ['a bad header', at('json', { headers: { 'a b': 'c' } }), 'validation', 'INVALID_HEADER', false],
    ['an unknown credential', at('json', { auth: 'nobody' }), 'auth', 'CREDENTIAL_NOT_FOUND', false],
  ];
}
