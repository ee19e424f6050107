/**
 * The binary format of data sealed by a key ring: `magic version kid-length kid iv tag data`. The head including
 * the key's name is authenticated together with the place, so no byte of an envelope can be changed.
 */
import { KeyRingError } from './error';

export const IV_BYTES = 12;
export const TAG_BYTES = 16;
/** "NS" and the format version. */
const MAGIC = Buffer.from([0x4e, 0x53, 0x01]);
const KID_AT = MAGIC.length + 1;

export interface Envelope {
  /** Name of the key. */
  readonly kid: string;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly data: Buffer;
}

/** The authenticated head of an envelope. */
export function headOf(kid: string): Buffer {
  const name = Buffer.from(kid);
  return Buffer.concat([MAGIC, Buffer.from([name.length]), name]);
}

export function packEnvelope({ kid, iv, tag, data }: Envelope): Buffer {
  return Buffer.concat([headOf(kid), iv, tag, data]);
}

/** @throws KeyRingError `CIPHERTEXT_DAMAGED` unless the bytes are an envelope */
export function unpackEnvelope(bytes: Uint8Array): Envelope {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kidEnds = KID_AT + (buffer[KID_AT - 1] ?? 0);
  const dataAt = kidEnds + IV_BYTES + TAG_BYTES;
  if (!buffer.subarray(0, MAGIC.length).equals(MAGIC) || kidEnds === KID_AT || buffer.length < dataAt)
    throw new KeyRingError('CIPHERTEXT_DAMAGED', 'the value is not a ciphertext of noetl-temporal');
  return {
    kid: buffer.toString('utf8', KID_AT, kidEnds),
    iv: buffer.subarray(kidEnds, kidEnds + IV_BYTES),
    tag: buffer.subarray(kidEnds + IV_BYTES, dataAt),
    data: buffer.subarray(dataAt),
  };
}
