/** Recognises a repeated request under an Idempotency-Key without storing the request. */
import { createHash } from 'node:crypto';
import { type KeyRing } from '../../../storage/keyring';
import { canonicalJson, type Json } from '../../../language/plan';

/** With a plain digest, anyone with access to the database could guess short secrets by brute force. */
const SEALED = 'sealed:';

export class Fingerprints {
  /** @param keys encrypt the digests; without them they are stored as they are */
  constructor(private readonly keys?: KeyRing) {}

  /** The fingerprint to store for the key; encryption makes it different on each call. */
  of(request: Json, key: string): string {
    const digest = digestOf(request);
    if (!this.keys) return digest;
    return SEALED + this.keys.seal(digest, placeOf(key)).toString('base64');
  }

  /** @throws KeyRingError if it was encrypted with a missing key */
  matches(kept: string, request: Json, key: string): boolean {
    const digest = digestOf(request);
    if (!kept.startsWith(SEALED) || !this.keys) return kept === digest;
    const sealed = Buffer.from(kept.slice(SEALED.length), 'base64');
    return this.keys.open(sealed, placeOf(key)).toString() === digest;
  }
}

/** Independent of the order of object keys. */
function digestOf(request: Json): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

function placeOf(key: string): string {
  return `submission ${key}`;
}
