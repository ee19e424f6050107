import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { LOOP } from './loop';
import { RETRY_FIELD, SINK_FIELD } from './case';
import { REMOVED, SET } from './step-parts';
import { TASK_POLICY } from './rules';
import { type Field, type Shape } from './shape';

const ignored: Field = { type: 'any', doc: 'Checked by the kind of the tool.' };

const TASK_SPEC: Shape = {
  title: 'the spec of a task',
  others: 'open',
  fields: {
    policy: { type: { either: [{ shape: () => TASK_POLICY }, 'any'] }, doc: 'Rules on the outcome.' },
    timeout: { type: { either: ['duration', 'mapping'] }, doc: 'Seconds, or `{connect, read, total}`.' },
    pool: { type: { either: ['text', 'mapping'] }, doc: 'The worker pool, or the pooling of connections.' },
    exec: {
      type: { values: ['local', 'inline'] },
      doc: '`local`: together with other tasks in one activity; `inline`: in its own.',
    },
    delivery: {
      type: { values: ['at_least_once', 'at_most_once'] },
      doc: 'What happens after a crash of a worker.',
    },
    ...LIMITS_OF_TASKS,
    ...NOT_OF_EXECUTION,
    cache: CACHE,
    sandbox: SANDBOX,
    sensitive: { type: { list: 'text' }, doc: 'Paths in the result that are secret.' },
  },
};

/** Keys of every tool; the fields of its kind are in a separate table (kinds.ts). */
export const TOOL: Shape = {
  title: 'a tool',
  others: 'open',
  fields: {
    kind: { type: 'name', doc: 'The kind of tool.' },
    name: { type: 'name', doc: 'The name of the task.' },
    desc: { type: 'text', doc: 'What the task does.' },
    spec: { type: { shape: () => TASK_SPEC }, doc: 'Settings of the task, and its policy.' },
    input: { type: 'mapping', doc: 'Inputs of the task.' },
    args: ignored,
    with: {
      type: 'mapping',
      doc: 'Former name of `input`.',
      deprecated: { code: 'NT5005', hint: 'write `input`' },
    },
    set: { type: SET, doc: 'Writes after the task.' },
    set_ctx: { type: 'mapping', doc: 'Writes to the variables of the execution.' },
    set_iter: { type: 'mapping', doc: 'Writes to the variables of the iteration.' },
    loop: { type: { shape: () => LOOP }, doc: 'Runs the task once for every item of a list.' },
    retry: RETRY_FIELD,
    sink: SINK_FIELD,
    case: {
      type: 'any',
      doc: 'Not allowed: rules on events belong to the step.',
      rejected: {
        code: 'NT2024',
        message: '`case` is under a tool',
        hint: 'move it beside `tool`: it handles the events of the step',
      },
    },
    ...REMOVED,
  },
};
