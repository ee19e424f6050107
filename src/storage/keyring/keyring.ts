/**
 * AES-256-GCM with named keys. The first key encrypts, all decrypt, so a key can be replaced while both are in use.
 * A ciphertext is bound to its place (`credential/<id>`): at another place it is rejected like a damaged one.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { headOf, IV_BYTES, packEnvelope, TAG_BYTES, unpackEnvelope } from './envelope';
import { KeyRingError } from './error';

const CIPHER = 'aes-256-gcm';

export interface Key {
  /** 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly kid: string;
  readonly key: KeyObject;
}

export interface KeyRing {
  /** Name of the encryption key. */
  readonly kid: string;
  /** Names of all keys, the encryption key first. */
  readonly kids: readonly string[];
  /**
   * Encrypts, with a random 96-bit nonce per call: rotate a key before it has sealed 2^32 times.
   *
   * @param place where the ciphertext is stored; `open` needs the same
   */
  seal(plain: Uint8Array | string, place: string): Buffer;
  /**
   * @throws KeyRingError `KEY_UNKNOWN`, naming the key; `CIPHERTEXT_DAMAGED` also if it was sealed for another
   * place
   */
  open(sealed: Uint8Array, place: string): Buffer;
  /** Name of the key used for sealing. @throws KeyRingError `CIPHERTEXT_DAMAGED` */
  kidOf(sealed: Uint8Array): string;
}

/** @throws KeyRingError `KEY_MISSING` without a key, `KEY_INVALID` if two have the same name */
export function keyRing(keys: readonly Key[]): KeyRing {
  const [first] = keys;
  if (!first) throw new KeyRingError('KEY_MISSING', 'no key to encrypt secrets is configured');
  const byName = new Map<string, KeyObject>();
  for (const { kid, key } of keys) {
    const other = byName.get(kid);
    if (other && !other.equals(key))
      throw new KeyRingError('KEY_INVALID', `two keys of the key ring have the name '${kid}'`);
    byName.set(kid, key);
  }
  return {
    kid: first.kid,
    kids: [...byName.keys()],
    seal(plain, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(first.kid, place));
      const data = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
      return packEnvelope({ kid: first.kid, iv, tag: cipher.getAuthTag(), data });
    },
    open(sealed, place) {
      const { kid, iv, tag, data } = unpackEnvelope(sealed);
      const key = byName.get(kid);
      if (!key) {
        const available = [...byName.keys()].join(', ');
        const message = `${place} is encrypted with the key '${shown(kid)}', which is not here (here: ${available})`;
        throw new KeyRingError('KEY_UNKNOWN', message);
      }
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(kid, place));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(data), decipher.final()]);
      } catch (error) {
        const message = `${place} cannot be decrypted with the key '${kid}'`;
        throw new KeyRingError('CIPHERTEXT_DAMAGED', message, { cause: error });
      }
    },
    kidOf: (sealed) => unpackEnvelope(sealed).kid,
  };
}

function boundTo(kid: string, place: string): Buffer {
  return Buffer.concat([headOf(kid), Buffer.from(place)]);
}

/** The name in a damaged envelope may be arbitrary bytes. */
function shown(kid: string): string {
  return kid.replace(/[^\w.-]/g, '?').slice(0, 64);
}
