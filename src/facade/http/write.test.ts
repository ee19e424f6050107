import { PassThrough } from 'node:stream';
import { write } from './write';

const listeners = (stream: PassThrough): number[] =>
  ['drain', 'close', 'error'].map((event) => stream.listenerCount(event));

test('waits for a slow reader, and leaves no listener however often it waited', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const before = listeners(stream);
  let written = 0;
  const all = (async () => {
    for (; written < 30; written += 1) await write(stream, 'line\n');
  })();
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(0);
  stream.setEncoding('utf8').resume();
  await all;
  expect(listeners(stream)).toEqual(before);
});

test('ends when the reader goes, and writes nothing to one that is gone', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const waiting = write(stream, 'line\n');
  stream.destroy();
  await waiting;
  await write(stream, 'line\n');
  expect(stream.writableLength).toBe(5);
});
