import { TailBuffer } from './bounded';

test('keeps everything up to the limit, then the end', () => {
  const tail = new TailBuffer(10);
  tail.push(Buffer.from('12345'));
  expect(tail.toString()).toBe('12345');
  tail.push(Buffer.from('67890'));
  expect(tail.toString()).toBe('1234567890');
  tail.push(Buffer.from('ab'));
  expect(tail.toString()).toBe('[… 2 bytes of output dropped …]\n34567890ab');
  tail.push(Buffer.alloc(100, 'z'));
  expect(tail.toString()).toBe(`[… 102 bytes of output dropped …]\n${'z'.repeat(10)}`);
});

test('does not cut a character in half', () => {
  const tail = new TailBuffer(3);
  tail.push(Buffer.from('éé'));
  expect(tail.toString()).toBe('[… 2 bytes of output dropped …]\né');
});
