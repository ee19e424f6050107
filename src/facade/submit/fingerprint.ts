/** What tells a repeated request from another one under the same Idempotency-Key, without keeping what was asked. */
import { createHash } from 'node:crypto';
import { type KeyRing } from '../../keyring';
import { canonicalJson, type Json } from '../../plan';

/** A digest alone would let whoever has the database try short secrets until one fits. */
const SEALED = 'sealed:';

export class Fingerprints {
  /** @param keys encrypt the digests; without them they are kept as they are */
  constructor(private readonly keys?: KeyRing) {}

  /** To be kept under the key. Each call makes another text for the same request. */
  of(request: Json, key: string): string {
    const digest = digestOf(request);
    if (!this.keys) return digest;
    return SEALED + this.keys.seal(digest, placeOf(key)).toString('base64');
  }

  /** @throws KeyRingError when it was encrypted under a key that is not here */
  matches(kept: string, request: Json, key: string): boolean {
    const digest = digestOf(request);
    if (!kept.startsWith(SEALED) || !this.keys) return kept === digest;
    const sealed = Buffer.from(kept.slice(SEALED.length), 'base64');
    return this.keys.open(sealed, placeOf(key)).toString() === digest;
  }
}

/** The order of keys makes no difference. */
function digestOf(request: Json): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

function placeOf(key: string): string {
  return `submission ${key}`;
}
