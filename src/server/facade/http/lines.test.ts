import { PassThrough } from 'node:stream';
import { writtenLine } from './lines';

const listeners = (stream: PassThrough): number[] =>
  ['drain', 'close', 'error'].map((event) => stream.listenerCount(event));

test('waits for a slow reader, and leaves no listener however often it waited', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const before = listeners(stream);
  let count = 0;
  const all = (async () => {
    for (; count < 30; count += 1) await writtenLine(stream, 'line\n');
  })();
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(0);
  stream.setEncoding('utf8').resume();
  await all;
  expect(listeners(stream)).toEqual(before);
});

test('ends when the reader goes, and writes nothing to one that is gone', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const waiting = writtenLine(stream, 'line\n');
  stream.destroy();
  await waiting;
  await writtenLine(stream, 'line\n');
  expect(stream.writableLength).toBe(5);
});
