/**
 * What a token is: `noetl_<id>_<secret>`. The id finds its row, the secret proves it.
 *
 * At rest there is a plain SHA-256, no slow password hash: the secret is 256 random bits, which no dictionary holds and
 * nobody can search, so a slow hash would protect nothing and cost every request its time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The secret of ours is 43 characters; a token made elsewhere (openssl rand -hex 32) may be longer, never shorter. */
const SHAPE = /^noetl_([0-9a-f]{12})_[A-Za-z0-9_-]{43,128}$/;

/** A new token: 256 random bits. */
export function newToken(): string {
  return `noetl_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;
}

/** The public part of a token; undefined for a text that is none. */
export function tokenId(token: string): string | undefined {
  return SHAPE.exec(token)?.[1];
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Takes the same time wherever the two differ. */
export function isDigestOf(digest: Buffer, token: string): boolean {
  const asked = digestOf(token);
  return digest.length === asked.length && timingSafeEqual(digest, asked);
}
