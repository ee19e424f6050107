/**
 * The format of a token: `noetl_<id>_<secret>`. The id finds its row, the secret proves it.
 *
 * A plain SHA-256 is stored, not a slow password hash: the secret is 256 random bits, which cannot be searched, so
 * a slow hash would protect nothing and slow down every request.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Our secrets have 43 characters; tokens made elsewhere (openssl rand -hex 32) may be longer, never shorter. */
const SHAPE = /^noetl_([0-9a-f]{12})_[A-Za-z0-9_-]{43,128}$/;

/** A new token: 256 random bits. */
export function newToken(): string {
  return `noetl_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;
}

/** The public part of a token; undefined for any other text. */
export function tokenId(token: string): string | undefined {
  return SHAPE.exec(token)?.[1];
}

export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Compares in constant time. */
export function isDigestOf(digest: Buffer, token: string): boolean {
  const presented = tokenDigest(token);
  return digest.length === presented.length && timingSafeEqual(digest, presented);
}
