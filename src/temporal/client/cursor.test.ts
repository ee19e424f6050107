import fc from 'fast-check';
import { cursorOf, pageTokenOf } from './cursor';

const token = fc.uint8Array({ maxLength: 200 });

test('a cursor leads back to its token, in letters that a URL takes', () => {
  fc.assert(
    fc.property(fc.string(), token, (query, bytes) => {
      const cursor = cursorOf(query, bytes);
      expect(cursor).toMatch(/^[\w-]{16,}$/);
      expect([...pageTokenOf(query, cursor)!]).toEqual([...bytes]);
    }),
  );
});

test('a cursor of another list, a damaged one and none are no cursors', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), token, fc.nat(), (query, more, bytes, at) => {
      const cursor = cursorOf(query, bytes);
      expect(pageTokenOf(`${query}${more} `, cursor)).toBeUndefined();
      const place = at % cursor.length;
      const other = cursor[place] === 'x' ? 'y' : 'x';
      expect(pageTokenOf(query, cursor.slice(0, place) + other + cursor.slice(place + 1))).toBeUndefined();
      expect(pageTokenOf(query, cursor.slice(0, place))).toBeUndefined();
      expect(pageTokenOf(query, more)).toBeUndefined();
    }),
  );
});
