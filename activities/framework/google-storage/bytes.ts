/** The bytes of an object, as a stream that can be abandoned at any time. */
import { PassThrough, type Readable } from 'node:stream';
import type { File } from '@google-cloud/storage' with { 'resolution-mode': 'import' };

/**
 * Google's stream must not be destroyed before its response arrives: the response is then piped into a destroyed
 * stream, which throws where nothing can catch it and, with Node 24, ends the worker. So it is left alone until then,
 * behind a stream of our own.
 *
 * @param signal ends it with an error
 */
export function objectBytes(object: File, signal: AbortSignal): Readable {
  const source = object.createReadStream({ validation: 'crc32c' });
  const bytes = new PassThrough();
  // It may fail before anyone reads it; a later reader gets the error.
  bytes.on('error', () => undefined);
  let isAnswered = false;
  source.once('response', () => {
    // The response is piped right after this event.
    setImmediate(() => {
      isAnswered = true;
      if (bytes.destroyed) source.destroy();
    });
  });
  source.on('error', (error) => bytes.destroy(error));
  const stop = (): void => void bytes.destroy(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  bytes.once('close', () => {
    signal.removeEventListener('abort', stop);
    if (isAnswered) source.destroy();
  });
  if (signal.aborted) stop();
  else source.pipe(bytes);
  return bytes;
}
