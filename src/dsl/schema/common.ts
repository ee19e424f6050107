import { type Field, type Shape } from './shape';

/** Rejects control actions outside a task's rules. */
export const noControl: Field = {
  type: 'any',
  doc: 'Not allowed: control actions belong to the rules of a task.',
  rejected: {
    code: 'NT2031',
    message: 'control actions (retry, jump, break, continue, fail) are allowed in the rules of a task only',
    hint: 'move them to `tool.spec.policy.rules`',
  },
};

export const FAILURE: Shape = {
  title: '`failure`',
  others: 'warning',
  fields: {
    mode: {
      type: { values: ['fail_fast', 'best_effort'] },
      doc: 'Whether a failure stops what still runs.',
    },
  },
};
