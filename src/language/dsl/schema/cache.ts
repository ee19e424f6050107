import { type SchemaField, type SchemaShape, shape } from './shape';
import * as field from './fields';

const CACHE_SHAPE: SchemaShape = shape('`cache`', 'error', {
  key: field.any('What else must be equal, beside the inputs: a value, or a template for one.'),
  ttl: field.durationField('How long a result may be taken; default `24h`.'),
  version: field.any(
    'Change it when the data that the tool reads has changed: earlier results are then not reused.',
  ),
});

/** `cache` in the spec of an executor, a step, a loop or a task. */
export const CACHE: SchemaField = field.either(
  ['boolean', { shape: () => CACHE_SHAPE }],
  'Takes the result of an equal call of this playbook, `{key, ttl, version}`; `true` for the defaults, `false` not to inherit it.',
);
