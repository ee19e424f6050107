import { unseenAfter } from './cursor';

test.each([
  ['7/0/3/5', ['7/0/3/6', '7/0/10/0', '7/1/3/0'], ['7/0/3/5', '7/0/3/4']],
  ['7/1/3/0', ['7/1/9/0'], ['7/0/900/3']],
  // Told of a run that was reset meanwhile: all of the new run is new, its beginning is known.
  ['7/0/20/0', ['7/0~1f0c9a2b/9/0', '7/0~1f0c9a2b/30/0'], ['7/0/9/0']],
  ['7/0~1f0c9a2b/30/0', ['7/0~1f0c9a2b/31/0', '7/1~1f0c9a2b/3/0'], ['7/0/9/0', '7/0~1f0c9a2b/9/0']],
  // A reset may go back to an earlier run of the chain than the one that was told.
  ['7/2/5/0', ['7/1~1f0c9a2b/7/0', '7/2~1f0c9a2b/3/0'], ['7/0/5/0', '7/1/5/0']],
  ['7/1~1f0c9a2b/7/0', ['7/2~1f0c9a2b/3/0'], ['7/0/90/0', '7/1/3/0']],
])('after %s', (cursor, unseen, seen) => {
  expect(unseen.filter((id) => !unseenAfter(cursor)(id))).toEqual([]);
  expect(seen.filter((id) => unseenAfter(cursor)(id))).toEqual([]);
});

test('a cursor that is no event id, or none, has seen nothing', () => {
  expect(unseenAfter('garbage')('7/0/3/0')).toBe(true);
  expect(unseenAfter(undefined)('7/0/3/0')).toBe(true);
});
