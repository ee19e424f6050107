import { nearPaths } from './suggest';

const PATHS = ['etl/load', 'etl/export', 'lib/load', 'x/load', 'y/load', 'hello'];

test.each([
  ['etl/lod', ': did you mean `etl/load`?'],
  ['export', ': did you mean `etl/export`?'],
  ['load', ': did you mean `etl/load`, `lib/load` or `x/load`?'],
  ['etl/hello', ': did you mean `hello`?'],
  // A version of it that is not there.
  ['hello', ''],
  ['nothing/like/it', ''],
])('near %s: %s', (path, said) => {
  expect(nearPaths(path, PATHS)).toBe(said);
});
