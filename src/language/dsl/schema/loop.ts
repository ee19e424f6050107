import { into } from '../fixes/structure';
import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { noControl } from './common';
import { CURSOR_OF_LOOP, FRAME_OF_LOOP } from './cursor';
import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { type SchemaField, type SchemaShape, shape, unlisted } from './shape';
import { LOOP_WORDS } from './words';
import * as field from './fields';

const MODE: SchemaField = field.keyword(
  ['sequential', 'parallel', 'async', 'cursor'],
  'One iteration after the other, or several at once; or over rows that a `cursor` claims.',
);
const IN_FLIGHT: SchemaField = field.count(
  'Iterations in flight at once, in a parallel loop; frames at once, in a cursor loop.',
);
const EXEC: SchemaField = field.keyword(
  ['distributed', 'local', 'inline'],
  'Where the iterations run: `distributed` in child workflows, `local` many of them in one activity, or `inline`, each task in its own activity.',
);

/** Easily written here, and then a loop would stop at its first failure without a word. */
const FAILURE_OF_STEP: SchemaField = field.rejected(
  'Not read here: whether a failure stops the loop is said of its step.',
  'NT2002',
  'whether a failure stops the loop is said of its step',
  'move it to `spec: {policy: {failure: {mode: best_effort}}}` of the step',
);

const LOOP_POLICY: SchemaShape = shape('the policy of a loop', 'warning', {
  exec: EXEC,
  mode: MODE,
  max_in_flight: IN_FLIGHT,
  reducers: field.RESERVED,
  backpressure: field.RESERVED,
  partitioning: field.RESERVED,
  failure: FAILURE_OF_STEP,
  rules: noControl,
  do: noControl,
});

const SPEC_OF_LOOP_SHAPE: SchemaShape = shape('the spec of a loop', 'open', {
  mode: MODE,
  max_in_flight: IN_FLIGHT,
  exec: EXEC,
  frame: FRAME_OF_LOOP,
  ...LIMITS_OF_TASKS,
  ...NOT_OF_EXECUTION,
  cache: CACHE,
  sandbox: SANDBOX,
  failure: FAILURE_OF_STEP,
  policy: field.nestedField(() => LOOP_POLICY, 'Placement and scheduling hints.'),
});

/** Where `mode` and `max_in_flight` of a loop belong. */
export const INTO_SPEC = into('spec', ['mode', 'max_in_flight']);

/** `loop` of a step. */
export const LOOP: SchemaShape = shape('`loop`', unlisted('warning', LOOP_WORDS), {
  in: field.either(['text', { list: 'any' }], 'The list, or a template that returns one.'),
  iterator: field.name('The name of the current item.'),
  spec: field.nestedField(
    () => SPEC_OF_LOOP_SHAPE,
    'How the iterations are scheduled, and settings that every task inherits.',
  ),
  mode: { ...MODE, deprecated: { code: 'NT5003', hint: 'write it as `loop.spec.mode`', fix: INTO_SPEC } },
  max_in_flight: {
    ...IN_FLIGHT,
    deprecated: { code: 'NT5003', hint: 'write it as `loop.spec.max_in_flight`', fix: INTO_SPEC },
  },
  cursor: CURSOR_OF_LOOP,
});
