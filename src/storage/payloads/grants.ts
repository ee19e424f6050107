/**
 * Grants travel in the metadata of the payload that is a task's call: as a request from the workflow to the codec of
 * its worker, which signs it (src/storage/codec/grants.ts), and signed from there to the worker of the task.
 */
import { type GrantRequest } from '../../language/plan/grants';

/** Key in a payload's metadata. */
export const GRANT_REQUEST = 'noetl-grant-request';
/** Key in a payload's metadata. */
export const GRANT = 'noetl-grant';

export { type GrantRequest };

const requests = new WeakMap<object, GrantRequest>();
const grants = new WeakMap<object, string>();

/** Asks for a grant for the activity whose argument `value` is. Returns `value`. */
export function requestGrant<T extends object>(value: T, request: GrantRequest | undefined): T {
  if (request) requests.set(value, request);
  return value;
}

export function grantRequestOf(value: unknown): GrantRequest | undefined {
  return typeof value === 'object' && value !== null ? requests.get(value) : undefined;
}

/** Attaches a grant to a call. Returns `value`. */
export function withGrant<T extends object>(value: T, grant: string | undefined): T {
  if (grant !== undefined) grants.set(value, grant);
  return value;
}

/** The grant with which a call arrived. */
export function grantOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? grants.get(value) : undefined;
}
