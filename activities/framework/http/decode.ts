/** A response's body as a stream: decompressed and bounded. */
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { CodedError } from '../../../src/language/errors';

export function responseTooLarge(limit: number): CodedError {
  const why = `the response is larger than ${limit} bytes (max_response_bytes)`;
  return new CodedError(
    'RESPONSE_TOO_LARGE',
    `${why}; paginate, or stream it into a file or the store with save_to`,
  );
}

/**
 * The chunks of the body after decompression. `limit` applies to the decompressed size, to stop decompression bombs.
 *
 * @throws CodedError `RESPONSE_TOO_LARGE`, and zlib's errors for what cannot be decompressed
 */
export async function* decodedBody(
  body: AsyncIterable<Buffer>,
  contentEncoding: string,
  limit: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of contentEncoding === '' ? body : decompressed(body, contentEncoding)) {
    size += piece.length;
    if (size > limit) throw responseTooLarge(limit);
    yield piece;
  }
}

async function* decompressed(body: AsyncIterable<Buffer>, contentEncoding: string): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  // HEAD and 204 responses declare an encoding for a body that is not sent.
  if (first.done) return;
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .reverse();
  yield* encodings.reduce(
    (stream: AsyncIterable<Buffer>, encoding) => through(stream, encoding, first.value),
    again(first.value, pieces),
  );
}

async function* again(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    // A consumer that stops reading closes the connection.
    await rest.return?.();
  }
}

/** An unknown encoding is passed through. */
function through(body: AsyncIterable<Buffer>, encoding: string, first: Buffer): AsyncIterable<Buffer> {
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
  // "deflate" is zlib by the standard, but raw in practice.
  if (encoding === 'deflate') return (first[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw();
  return undefined;
}
