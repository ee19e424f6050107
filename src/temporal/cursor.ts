/**
 * Where a list goes on. Temporal's token says nothing of the list that it is of, and one that it did not make is an
 * unknown error, which its client tries again for twenty seconds: a cursor is told from those of other lists before.
 */
import { createHash } from 'node:crypto';

/** 12 bytes: mistakes are to be found, nobody is to be kept from anything. */
const DIGEST_LENGTH = 16;

/** @param token of Temporal @returns letters that a URL takes */
export function cursorOf(query: string, token: Uint8Array): string {
  return digestOf(query, token) + Buffer.from(token).toString('base64url');
}

/** @returns Temporal's token; undefined: the cursor is none of the list of that query */
export function tokenOf(query: string, cursor: string): Uint8Array | undefined {
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
