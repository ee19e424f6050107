/**
 * Cursors of lists. Temporal's page token does not identify its list, and an invalid one causes an unknown error,
 * which its client retries for twenty seconds; so cursors of other lists are recognised first.
 */
import { createHash } from 'node:crypto';

/** 12 bytes: this detects mistakes and is not a security measure. */
const DIGEST_LENGTH = 16;

/** @param token of Temporal @returns URL-safe characters */
export function cursorOf(query: string, token: Uint8Array): string {
  return digestOf(query, token) + Buffer.from(token).toString('base64url');
}

/** @returns Temporal's token; undefined: the cursor does not belong to the list of this query */
export function pageTokenOf(query: string, cursor: string): Uint8Array | undefined {
  const token = Buffer.from(cursor.slice(DIGEST_LENGTH), 'base64url');
  return cursorOf(query, token) === cursor ? token : undefined;
}

function digestOf(query: string, token: Uint8Array): string {
  return createHash('sha256')
    .update(query)
    .update('\0')
    .update(token)
    .digest('base64url')
    .slice(0, DIGEST_LENGTH);
}
