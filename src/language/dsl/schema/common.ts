import { type SchemaField, type SchemaShape, shape } from './shape';
import * as field from './fields';

/** Rejects control actions outside a task's rules. */
export const noControl: SchemaField = field.rejected(
  'Not allowed: control actions belong to the rules of a task.',
  'NT2031',
  'control actions (retry, jump, break, continue, fail) are allowed in the rules of a task only',
  'move them to `tool.spec.policy.rules`',
);

export const FAILURE: SchemaShape = shape('`failure`', 'warning', {
  mode: field.keyword(['fail_fast', 'best_effort'], 'Whether a failure stops what still runs.'),
});
