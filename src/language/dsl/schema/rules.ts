import { noControl } from './common';
import { type SchemaField, type SchemaShape, shape, unlisted } from './shape';
import { REMOVED, SET } from './step-parts';
import { CONDITION_WORDS } from './words';
import * as field from './fields';

const NEXT_IN_RULE: SchemaField = field.rejected(
  'Not allowed: a rule of a task starts no step.',
  'NT2032',
  'a rule of a task cannot start a step',
  'let the rule `break` or `fail`, and route with the `next.arcs` of the step',
);

const ACTIONS: Readonly<Record<string, SchemaField>> = {
  do: field.keyword(['continue', 'retry', 'jump', 'break', 'fail'], 'What happens next in the pipeline.'),
  attempts: field.count('For `retry`: total number of executions, including the first; default 3.'),
  backoff: field.keyword(
    ['none', 'fixed', 'linear', 'exponential'],
    'For `retry`: how the delay grows from one attempt to the next.',
    { numberAs: 'delay' },
  ),
  delay: field.durationField('For `retry`: seconds before the next attempt.'),
  max_delay: field.durationField('For `retry`: the maximum delay between two attempts, in seconds.'),
  message: field.anyTextField('For `fail`: the message of the error, instead of that of the task.'),
  to: field.name('For `jump`: the name of a task of the same step.'),
  set: field.of(SET, 'Writes: `ctx.x`, `iter.x`, `step.x`, or a bare name of the pipeline.'),
  set_ctx: field.anyMappingField('Writes to the variables of the execution.'),
  set_iter: field.anyMappingField('Writes to the variables of the iteration.'),
  next: NEXT_IN_RULE,
};

const THEN: SchemaShape = shape('`then` of a rule', 'warning', ACTIONS);

/** `else` contains `then`, or the actions themselves. */
const ELSE: SchemaShape = shape('`else` of a rule', 'warning', {
  then: field.either([{ shape: () => THEN }, { list: { shape: () => THEN } }], 'The actions.'),
  ...ACTIONS,
});

/** A rule of a task. */
const RULE: SchemaShape = shape('a rule', unlisted('warning', CONDITION_WORDS), {
  when: field.conditionField('The condition, on the outcome of the task.'),
  then: field.either([{ shape: () => THEN }, { list: { shape: () => THEN } }], 'The actions.'),
  else: field.either(
    [{ shape: () => ELSE }, { list: { shape: () => THEN } }],
    'The last rule: what happens when no other matched.',
  ),
  desc: field.REMARK,
  name: field.REMARK,
  expr: REMOVED.expr!,
});

export const TASK_POLICY: SchemaShape = shape('the policy of a task', 'warning', {
  rules: field.listField({ shape: () => RULE }, 'What to do for each outcome; the first match wins.'),
  mode: field.RESERVED,
  on_unmatched: field.keyword(
    ['continue', 'fail'],
    'What happens to an error that no rule matches; `continue` unless it says `fail`.',
  ),
  before: field.RESERVED,
  after: field.RESERVED,
  finally: field.RESERVED,
});

const ALLOW: Readonly<Record<string, SchemaField>> = {
  allow: field.boolean('Whether the step may run.'),
  do: noControl,
};

const THEN_ADMIT: SchemaShape = shape('`then` of an admission rule', 'warning', ALLOW);

const ELSE_ADMIT: SchemaShape = shape('`else` of an admission rule', 'warning', {
  then: field.nestedField(() => THEN_ADMIT, 'The decision.'),
  ...ALLOW,
});

const ADMIT_RULE: SchemaShape = shape('an admission rule', 'warning', {
  when: field.conditionField('The condition, on ctx, workload and the arriving token.'),
  then: field.nestedField(() => THEN_ADMIT, 'The decision.'),
  else: field.nestedField(() => ELSE_ADMIT, 'The decision when no other rule matched.'),
  expr: REMOVED.expr!,
});

/** `admit`. */
export const ADMIT: SchemaShape = shape('`admit`', 'warning', {
  mode: field.keyword(
    ['exclusive', 'inclusive'],
    'Reserved: admission is a gate, and the first match decides.',
  ),
  rules: field.required(field.listField({ shape: () => ADMIT_RULE }, 'The rules; the first match decides.')),
});
