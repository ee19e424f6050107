import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { noControl } from './common';
import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { type Field, type Shape } from './shape';
import { LOOP_WORDS } from './words';

const MODE: Field = {
  type: { values: ['sequential', 'parallel', 'async'] },
  doc: 'One iteration after the other, or several at once.',
};
const IN_FLIGHT: Field = { type: 'count', doc: 'Iterations in flight at once, in a parallel loop.' };
const EXEC: Field = {
  type: { values: ['distributed', 'local', 'inline'] },
  doc: 'Where the iterations run: `distributed` in child workflows, `local` many of them in one activity, or `inline`, each task in its own activity.',
};

const LOOP_POLICY: Shape = {
  title: 'the policy of a loop',
  others: 'open',
  fields: {
    exec: EXEC,
    mode: MODE,
    max_in_flight: IN_FLIGHT,
    reducers: { type: 'any', doc: 'Reserved.', placeholder: true },
    backpressure: { type: 'any', doc: 'Reserved.', placeholder: true },
    partitioning: { type: 'any', doc: 'Reserved.', placeholder: true },
    rules: noControl,
    do: noControl,
  },
};

const SPEC_OF_LOOP_SHAPE: Shape = {
  title: 'the spec of a loop',
  others: 'open',
  fields: {
    mode: MODE,
    max_in_flight: IN_FLIGHT,
    exec: EXEC,
    ...LIMITS_OF_TASKS,
    ...NOT_OF_EXECUTION,
    cache: CACHE,
    sandbox: SANDBOX,
    policy: { type: { shape: () => LOOP_POLICY }, doc: 'Placement and scheduling hints.' },
  },
};

/** `loop` of a step. */
export const LOOP: Shape = {
  title: '`loop`',
  others: 'warning',
  words: LOOP_WORDS,
  fields: {
    in: {
      type: { either: ['text', { list: 'any' }] },
      doc: 'The list, or a template that returns one.',
    },
    iterator: { type: 'name', doc: 'The name of the current item.' },
    spec: {
      type: {
        shape: () => SPEC_OF_LOOP_SHAPE,
      },
      doc: 'How the iterations are scheduled, and settings that every task inherits.',
    },
    mode: { ...MODE, deprecated: { code: 'NT5003', hint: 'write it as `loop.spec.mode`' } },
    max_in_flight: {
      ...IN_FLIGHT,
      deprecated: { code: 'NT5003', hint: 'write it as `loop.spec.max_in_flight`' },
    },
    cursor: { type: 'any', doc: 'A list claimed row by row.' },
  },
};
