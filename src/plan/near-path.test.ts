import { didYouMeanPath } from './near-path';

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
