import { type Builtins } from '../evaluate/signature';
import { basicFilters } from './basic';
import { dateFilters } from './dates';
import { encodingFilters } from './encoding';
import { htmlFilters } from './html';
import { numberFilters } from './numbers';
import { orderFilters } from './order';
import { regexFilters } from './regex';
import { selectFilters } from './select';
import { sequenceFilters } from './sequences';
import { stringFilters } from './strings';

/** All filters by name: Jinja2's that apply to data, and additional ones. */
export const filters: Builtins = {
  ...basicFilters,
  ...numberFilters,
  ...sequenceFilters,
  ...orderFilters,
  ...selectFilters,
  ...stringFilters,
  ...htmlFilters,
  ...encodingFilters,
  ...regexFilters,
  ...dateFilters,
};
