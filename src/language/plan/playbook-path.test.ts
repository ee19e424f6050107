import { didYouMeanPath, pathProblem } from './playbook-path';

const paths = ['shop/etl', 'shop/price', 'lib/price', 'lib/score'];

test.each([
  ['shop/etll', ': did you mean shop/etl?'],
  ['etl', ': did you mean shop/etl?'],
  ['shop/score', ': did you mean lib/score?'],
  // Two are called so: the nearest one, if any.
  ['shp/price', ': did you mean shop/price?'],
  ['price', ''],
  ['nothing/like/it', ''],
  // It is there: what is missing is a version of it.
  ['shop/etl', ''],
])('%s%s', (path, said) => expect(didYouMeanPath(path, paths)).toBe(said));

test.each(['etl', 'shop/etl', 'examples/2024/load v1.yaml', 'größe/π', '..hidden/x..y'])(
  '%s is a path',
  (path) => expect(pathProblem(path)).toBeUndefined(),
);

test.each([
  ['../../etc/x', 'has a name of dots alone'],
  ['a/./b', 'has a name of dots alone'],
  ['/etc/passwd', 'has an empty name before, after or between slashes'],
  ['catalog://x@latest', 'has an empty name before, after or between slashes'],
  ['a/ /b', 'has an empty name before, after or between slashes'],
  ['', 'has an empty name before, after or between slashes'],
  ['a\\b', 'has a backslash, a line break or a control character'],
  ['a\u001b[31m', 'has a backslash, a line break or a control character'],
  ['x'.repeat(201), 'has more than 200 characters'],
])('%j %s', (path, problem) => expect(pathProblem(path)).toBe(problem));
