import { noControl } from './common';
import { type Field, type Shape } from './shape';
import { SET } from './step-parts';
import { CONDITION_WORDS } from './words';

const REMOVED: Readonly<Record<string, Field>> = {
  expr: {
    type: 'any',
    doc: 'Refused.',
    rejected: { code: 'NT2015', message: '`expr` was replaced by `when`', hint: 'write `when: "{{ … }}"`' },
  },
};

const NEXT_IN_RULE: Field = {
  type: 'any',
  doc: 'Not allowed: a rule of a task starts no step.',
  rejected: {
    code: 'NT2032',
    message: 'a rule of a task cannot start a step',
    hint: 'let the rule `break` or `fail`, and route with the `next.arcs` of the step',
  },
};

const ACTIONS: Readonly<Record<string, Field>> = {
  do: {
    type: { values: ['continue', 'retry', 'jump', 'break', 'fail'] },
    doc: 'What happens next in the pipeline.',
  },
  attempts: {
    type: 'count',
    doc: 'For `retry`: total number of executions, including the first; default 3.',
  },
  backoff: {
    type: { values: ['none', 'fixed', 'linear', 'exponential'] },
    doc: 'For `retry`: how the delay grows from one attempt to the next.',
  },
  delay: { type: 'duration', doc: 'For `retry`: seconds before the next attempt.' },
  max_delay: { type: 'duration', doc: 'For `retry`: the maximum delay between two attempts, in seconds.' },
  to: { type: 'name', doc: 'For `jump`: the name of a task of the same step.' },
  set: { type: SET, doc: 'Writes: `ctx.x`, `iter.x`, `step.x`, or a bare name of the pipeline.' },
  set_ctx: { type: 'mapping', doc: 'Writes to the variables of the execution.' },
  set_iter: { type: 'mapping', doc: 'Writes to the variables of the iteration.' },
  next: NEXT_IN_RULE,
};

const THEN: Shape = { title: '`then` of a rule', others: 'warning', fields: ACTIONS };

/** `else` contains `then`, or the actions themselves. */
const ELSE: Shape = {
  title: '`else` of a rule',
  others: 'warning',
  fields: {
    then: { type: { either: [{ shape: () => THEN }, { list: { shape: () => THEN } }] }, doc: 'The actions.' },
    ...ACTIONS,
  },
};

/** A rule of a task. */
const RULE: Shape = {
  title: 'a rule',
  others: 'warning',
  words: CONDITION_WORDS,
  fields: {
    when: { type: 'condition', doc: 'The condition, on the outcome of the task.' },
    then: { type: { either: [{ shape: () => THEN }, { list: { shape: () => THEN } }] }, doc: 'The actions.' },
    else: {
      type: { either: [{ shape: () => ELSE }, { list: { shape: () => THEN } }] },
      doc: 'The last rule: what happens when no other matched.',
    },
    desc: { type: 'text', doc: 'A remark.' },
    name: { type: 'text', doc: 'A remark.' },
    ...REMOVED,
  },
};

export const TASK_POLICY: Shape = {
  title: 'the policy of a task',
  others: 'warning',
  fields: {
    rules: {
      type: { list: { shape: () => RULE } },
      doc: 'What to do for each outcome; the first match wins.',
    },
    mode: { type: 'any', doc: 'Reserved.', placeholder: true },
    on_unmatched: { type: 'any', doc: 'Reserved.', placeholder: true },
    before: { type: 'any', doc: 'Reserved.', placeholder: true },
    after: { type: 'any', doc: 'Reserved.', placeholder: true },
    finally: { type: 'any', doc: 'Reserved.', placeholder: true },
  },
};

const ALLOW: Readonly<Record<string, Field>> = {
  allow: { type: 'boolean', doc: 'Whether the step may run.' },
  do: noControl,
};

const THEN_OF_ADMISSION_RULE_SHAPE: Shape = {
  title: '`then` of an admission rule',
  others: 'warning',
  fields: ALLOW,
};

const ELSE_OF_ADMISSION_RULE_SHAPE: Shape = {
  title: '`else` of an admission rule',
  others: 'warning',
  fields: {
    then: {
      type: {
        shape: () => THEN_OF_ADMISSION_RULE_SHAPE,
      },
      doc: 'The decision.',
    },
    ...ALLOW,
  },
};

const ADMIT_RULE: Shape = {
  title: 'an admission rule',
  others: 'warning',
  fields: {
    when: { type: 'condition', doc: 'The condition, on ctx, workload and the arriving token.' },
    then: {
      type: { shape: () => THEN_OF_ADMISSION_RULE_SHAPE },
      doc: 'The decision.',
    },
    else: {
      type: {
        shape: () => ELSE_OF_ADMISSION_RULE_SHAPE,
      },
      doc: 'The decision when no other rule matched.',
    },
    ...REMOVED,
  },
};

/** `admit`. */
export const ADMIT: Shape = {
  title: '`admit`',
  others: 'warning',
  fields: {
    mode: {
      type: { values: ['exclusive', 'inclusive'] },
      doc: 'Reserved: admission is a gate, and the first match decides.',
    },
    rules: {
      type: { list: { shape: () => ADMIT_RULE } },
      doc: 'The rules; the first match decides.',
      required: true,
    },
  },
};
