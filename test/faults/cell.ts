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
