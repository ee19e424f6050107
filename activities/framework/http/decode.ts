/** A response's body as it streams: decompressed, and no larger than allowed. */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { CodedError } from '../../../src/errors';

export function responseTooLarge(limit: number): CodedError {
  const why = `the response is larger than ${limit} bytes (max_response_bytes)`;
  return new CodedError(
    'RESPONSE_TOO_LARGE',
    `${why}; page through it, or stream it into a file or the store with save_to`,
  );
}

/**
 * The pieces of the body after decompression. `limit` counts them, so that a small bomb does not become a large answer.
 *
 * @throws CodedError `RESPONSE_TOO_LARGE`, and zlib's errors for what cannot be decompressed
 */
export async function* decoded(
  body: AsyncIterable<Buffer>,
  contentEncoding: string,
  limit: number,
): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  // HEAD and 204 name an encoding of a body that does not come.
  if (first.done) return;
  let stream: AsyncIterable<Buffer> = again(first.value, pieces);
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .reverse();
  for (const encoding of encodings) stream = decompressed(stream, encoding, first.value);
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > limit) throw responseTooLarge(limit);
    yield piece;
  }
}

async function* again(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    // Who stops reading closes the connection: nobody wants the rest.
    await rest.return?.();
  }
}

/** An encoding nobody knows is left as it is. */
function decompressed(body: AsyncIterable<Buffer>, encoding: string, first: Buffer): AsyncIterable<Buffer> {
  const decoder = decoderOf(encoding, first);
  if (!decoder) return body;
  const target = new PassThrough();
  pipeline(Readable.from(body, { objectMode: false }), decoder, target).catch((error: Error) =>
    target.destroy(error),
  );
  return target;
}

function decoderOf(encoding: string, first: Buffer): NodeJS.ReadWriteStream | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  // "deflate" is zlib by the standard and raw in practice.
  if (encoding === 'deflate') return (first[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw();
  return undefined;
}
