import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { LOOP } from './loop';
import { RETRY_FIELD, SINK_FIELD } from './case';
import { REMOVED, SET } from './step-parts';
import { TASK_POLICY } from './rules';
import { type SchemaField, type SchemaShape, shape } from './shape';
import * as field from './fields';

const ignored: SchemaField = field.any('Checked by the kind of the tool.');

const TASK_SPEC: SchemaShape = shape('the spec of a task', 'open', {
  policy: field.either([{ shape: () => TASK_POLICY }, 'any'], 'Rules on the outcome.'),
  timeout: field.either(['limit', 'mapping'], 'Seconds, or `{connect, read, total}`.'),
  pool: field.either(['text', 'mapping'], 'The worker pool, or the pooling of connections.'),
  exec: field.keyword(
    ['local', 'inline'],
    '`local`: together with other tasks in one activity; `inline`: in its own.',
  ),
  delivery: field.keyword(['at_least_once', 'at_most_once'], 'What happens after a crash of a worker.'),
  ...LIMITS_OF_TASKS,
  ...NOT_OF_EXECUTION,
  cache: CACHE,
  sandbox: SANDBOX,
  sensitive: field.listField('text', 'Paths in the result that are secret.'),
});

/** Keys of every tool; the fields of its kind are in a separate table (kinds.ts). */
export const TOOL: SchemaShape = shape('a tool', 'open', {
  kind: field.name('The kind of tool.'),
  name: field.name('The name of the task.'),
  desc: field.anyTextField('What the task does.'),
  spec: field.nestedField(() => TASK_SPEC, 'Settings of the task, and its policy.'),
  input: field.anyMappingField('Inputs of the task.'),
  args: ignored,
  with: field.formerly('input'),
  set: field.of(SET, 'Writes after the task.'),
  set_ctx: field.anyMappingField('Writes to the variables of the execution.'),
  set_iter: field.anyMappingField('Writes to the variables of the iteration.'),
  loop: field.nestedField(() => LOOP, 'Runs the task once for every item of a list.'),
  retry: RETRY_FIELD,
  sink: SINK_FIELD,
  case: field.rejected(
    'Not allowed: rules on events belong to the step.',
    'NT2024',
    '`case` is under a tool',
    'move it beside `tool`: it handles the events of the step',
  ),
  ...REMOVED,
});
