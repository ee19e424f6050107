import { encodeFrame, type InterpreterFrame, InterpreterFrameReader } from './frames';

test('frames survive any cut of the stream', () => {
  const stream = Buffer.concat([
    encodeFrame(1, 'R', Buffer.from('hello')),
    encodeFrame(2, 'X', Buffer.alloc(0)),
    encodeFrame(3, 'R', Buffer.alloc(3000, 'x')),
  ]);
  for (const size of [1, 2, 7, 9, 14, 1000, stream.length]) {
    const reader = new InterpreterFrameReader();
    const frames: InterpreterFrame[] = [];
    for (let at = 0; at < stream.length; at += size)
      frames.push(...reader.push(stream.subarray(at, at + size)));
    expect(frames.map(({ id, type, payload }) => [id, type, payload.length])).toEqual([
      [1, 'R', 5],
      [2, 'X', 0],
      [3, 'R', 3000],
    ]);
    expect(frames[0]!.payload.toString()).toBe('hello');
  }
});
