/**
 * Encryption of all data stored by Temporal: inputs, results, heartbeats, details and messages of failures,
 * signals, updates, queries, memos, summaries. Data that Temporal itself uses is not encrypted: ids, names of
 * types, queues and signals, search attributes, types of failures.
 */
import { type Payload, type PayloadCodec } from '@temporalio/common';
import { decode as text, encode as bytes } from '@temporalio/common/lib/encoding';
import { temporal } from '@temporalio/proto';
import { CodedError, hasCode } from '../../language/errors';
import { type KeyRing, KeyRingError } from '../keyring';
import { FETCHED_FROM, STORE_FROM, WAS_ENCRYPTED } from '../payloads';
import { MAX_UNPACKED_BYTES, uncompressed } from './compression';

const { Payload: Message } = temporal.api.common.v1;

/** `encoding` of an encrypted payload, as in Temporal's samples. */
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
/** The place to which every payload is bound: Temporal tells a codec nothing more specific. */
const PLACE = 'temporal payload';

export interface Encryption {
  /** False: only decrypts what was encrypted before. */
  readonly encrypt: boolean;
  /** Called when the first payload needs a key. @throws KeyRingError */
  keys(): KeyRing;
}

/** Whether Temporal's data is to be encrypted: NOETL_ENCRYPT_PAYLOADS (`--encrypt`). */
export function encryptsPayloads(env: NodeJS.ProcessEnv = process.env): boolean {
  return /^(1|true|yes|on)$/i.test(env['NOETL_ENCRYPT_PAYLOADS'] ?? '');
}

/**
 * A codec that also reads unencrypted payloads, so that encryption can be switched on and off.
 *
 * @throws KeyRingError `KEY_MISSING` at once, if it is to encrypt
 */
export function payloadCodec({ encrypt, keys }: Encryption): PayloadCodec {
  let ring: KeyRing | undefined = encrypt ? keys() : undefined;
  const open = (payload: Payload): Payload => {
    const kid = text(payload.metadata![KEY_ID] ?? new Uint8Array());
    try {
      ring ??= keys();
    } catch (error) {
      if (!hasCode(error, 'KEY_MISSING')) throw error;
      const message = `a value of this history is encrypted with the key '${kid}', and there is no key here`;
      throw new KeyRingError('KEY_UNKNOWN', message);
    }
    return opened(payload, ring);
  };
  return {
    encode: (payloads) =>
      Promise.resolve(encrypt ? payloads.map((payload) => sealed(payload, ring!)) : payloads),
    decode: async (payloads) => payloads.map((payload) => (isEncrypted(payload) ? open(payload) : payload)),
  };
}

/**
 * Payloads for display: decrypted and decompressed if possible, otherwise unchanged.
 *
 * @param keys undefined: nothing can be decrypted
 * @param limit of all decompressed payloads together, in bytes
 */
export async function decodeForPeople(
  payloads: readonly Payload[],
  keys: KeyRing | undefined,
  limit: number = MAX_UNPACKED_BYTES,
): Promise<Payload[]> {
  const shown: Payload[] = [];
  let left = limit;
  for (const payload of payloads) {
    const one = await shownToPeople(payload, keys, left);
    if (one !== payload) left = Math.max(1, left - (one.data?.length ?? 0));
    shown.push(one);
  }
  return shown;
}

async function shownToPeople(payload: Payload, keys: KeyRing | undefined, limit: number): Promise<Payload> {
  try {
    const open = isEncrypted(payload) && keys ? opened(payload, keys) : payload;
    const unpacked = await uncompressed(open, limit);
    if (unpacked === payload) return payload;
    const { [WAS_ENCRYPTED]: _mark, ...metadata } = unpacked.metadata!;
    return { ...unpacked, metadata };
  } catch (error) {
    if (error instanceof CodedError) return payload;
    throw error;
  }
}

function isEncrypted({ metadata }: Payload): boolean {
  return metadata?.['encoding'] !== undefined && text(metadata['encoding']) === ENCRYPTED;
}

function sealed(payload: Payload, keys: KeyRing): Payload {
  const storeFrom = payload.metadata?.[STORE_FROM];
  return {
    metadata: {
      encoding: bytes(ENCRYPTED),
      [KEY_ID]: bytes(keys.kid),
      // Used by external storage, which runs after this codec.
      ...(storeFrom && { [STORE_FROM]: storeFrom }),
    },
    data: keys.seal(Message.encode(payload).finish(), PLACE),
  };
}

/** @throws KeyRingError */
function opened(payload: Payload, keys: KeyRing): Payload {
  const { metadata, data } = Message.decode(keys.open(payload.data ?? new Uint8Array(), PLACE));
  const fetchedFrom = payload.metadata?.[FETCHED_FROM];
  return {
    metadata: {
      ...metadata,
      [WAS_ENCRYPTED]: bytes('1'),
      ...(fetchedFrom && { [FETCHED_FROM]: fetchedFrom }),
    },
    data,
  };
}
