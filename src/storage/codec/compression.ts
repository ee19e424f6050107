/**
 * Compression of machine-readable payloads (`compressible` of src/storage/payloads), in the format of the zlib codec of
 * Temporal's Go SDK, so that its tools and samples can read it. It runs before encryption, because ciphertext
 * cannot be compressed, and before external storage, which takes what is still large.
 */
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import {
  defaultDataConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { decode as text, encode as bytes } from '@temporalio/common/lib/encoding';
import { temporal } from '@temporalio/proto';
import { CodedError } from '../../language/errors';
import { COMPRESSIBLE, FETCHED_FROM, packedOnce, STORE_FROM, WAS_ENCRYPTED } from '../payloads';

const { Payload: Message } = temporal.api.common.v1;

/** `encoding` of a compressed payload. */
const ZLIB = 'binary/zlib';
/** Plans below this size in bytes stay readable: compression would save next to nothing. */
const COMPRESS_FROM = 1024;
/**
 * Limit of a decompressed payload in bytes, twice the largest plan; a few KiB of zeros could expand to gigabytes.
 */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const [deflated, inflated] = [promisify(deflate), promisify(inflate)];

/** Also reads uncompressed payloads. @throws CodedError `COMPRESSED_TOO_LARGE`, `COMPRESSED_DAMAGED` */
export const compression: PayloadCodec = {
  // Nearly all payloads pass unchanged, several for each task: they should not cost promises.
  encode: (payloads) =>
    payloads.some(isMarked)
      ? Promise.all(payloads.map((payload) => packedOnce(payload, compressed)))
      : Promise.resolve(payloads),
  decode: (payloads) =>
    payloads.some(isCompressed)
      ? Promise.all(payloads.map((payload) => uncompressed(payload)))
      : Promise.resolve(payloads),
};

/** Reads histories that are neither encrypted nor stored externally. */
export const plainConverter: LoadedDataConverter = { ...defaultDataConverter, payloadCodecs: [compression] };

function isMarked({ metadata }: Payload): boolean {
  return Boolean(metadata?.[COMPRESSIBLE]);
}

async function compressed(payload: Payload): Promise<Payload> {
  if (!isMarked(payload)) return payload;
  const { [COMPRESSIBLE]: _mark, [STORE_FROM]: storeFrom, ...metadata } = payload.metadata!;
  const plain = { ...payload, metadata: { ...metadata, ...(storeFrom && { [STORE_FROM]: storeFrom }) } };
  const size = payload.data?.length ?? 0;
  if (size < COMPRESS_FROM) return plain;
  const data = await deflated(Message.encode({ ...payload, metadata }).finish());
  if (data.length >= size) return plain;
  // Used by external storage, which runs after this codec.
  return { metadata: { encoding: bytes(ZLIB), ...(storeFrom && { [STORE_FROM]: storeFrom }) }, data };
}

export function isCompressed({ metadata }: Payload): boolean {
  return metadata?.['encoding'] !== undefined && text(metadata['encoding']) === ZLIB;
}

/**
 * @param limit in bytes
 * @throws CodedError as `compression`
 */
export async function uncompressed(payload: Payload, limit: number = MAX_UNPACKED_BYTES): Promise<Payload> {
  if (!isCompressed(payload)) return payload;
  const { [FETCHED_FROM]: fetchedFrom, [WAS_ENCRYPTED]: wasEncrypted } = payload.metadata!;
  try {
    const unpacked = await inflated(payload.data ?? new Uint8Array(), { maxOutputLength: limit });
    const { metadata, data } = Message.decode(unpacked);
    return {
      metadata: {
        ...metadata,
        ...(fetchedFrom && { [FETCHED_FROM]: fetchedFrom }),
        ...(wasEncrypted && { [WAS_ENCRYPTED]: wasEncrypted }),
      },
      data,
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new CodedError(
        'COMPRESSED_TOO_LARGE',
        `a compressed value of ${payload.data?.length} bytes decompresses to more than ${limit} bytes, so it was not read`,
        { cause: error },
      );
    throw new CodedError('COMPRESSED_DAMAGED', 'a compressed value is damaged', { cause: error });
  }
}
