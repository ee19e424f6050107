import { type Assignment } from '../../plan';
import { type TemplatePlace } from '../check/place';
import { type Write } from '../document/document';
import { type Values } from './values';

/** The writes of a rule, task, step or arc. */
export function compileWrites(writes: readonly Write[], place: TemplatePlace, values: Values): Assignment[] {
  return writes.map((write) => ({
    scope: write.scope,
    path: write.path,
    value: values.value(write.value, { ...place, part: 'a write: history records variables' }),
    at: values.at(write.at),
  }));
}
