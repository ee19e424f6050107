import * as field from './fields';
import { type SchemaField, type SchemaShape, shape } from './shape';

const OPTIONS: SchemaShape = shape('the options of a cursor', 'warning', {
  pool_size: field.amount('Connections per credential in a worker; of `postgres`.'),
  max_iterations: field.amount('Rows that a slot claims at most; no limit unless written.'),
});

const CURSOR: SchemaShape = shape('a cursor', 'judged', {
  kind: field.anyTextField('The kind of the database, one that runs SQL; default `postgres`.'),
  auth: field.any('The credential, as of a task of that kind.'),
  claim: field.anyTextField(
    'The statement that takes rows and returns them. It sees `__frame_max_rows`, `__frame_policy` and `__worker_slot_id`.',
  ),
  options: field.nestedField(() => OPTIONS, 'Limits of the claims.'),
  spec: field.any('As of a task: timeouts, and rules for a claim that fails.'),
});

/** Keys of a cursor that are not fields of its tool. */
export const CURSOR_FIELDS: readonly string[] = ['kind', 'claim', 'options'];

/** `loop.cursor`. */
export const CURSOR_OF_LOOP: SchemaField = field.nestedField(
  () => CURSOR,
  'Where the rows come from, with `mode: cursor`: each frame is claimed when a slot is free.',
);

/** A number that only the claim sees, in `__frame_policy`. */
const unused = (placeholder: string): SchemaField =>
  field.amount('Given to the claim in `__frame_policy`; without other effect.', { placeholder });

const FRAME: SchemaShape = shape('the frame of a cursor loop', 'warning', {
  max_rows: field.amount('Rows of a claim, given to the statement as `__frame_max_rows`; default 1.'),
  row_concurrency: field.amount('Rows of one frame that are worked on at once; default 1.'),
  process: field.keyword(
    ['row', 'frame'],
    'The pipeline runs once for each row, or once for all rows of a frame.',
  ),
  max_seconds: unused('the time limit of a claim is its `timeout`: write it under `cursor.spec`'),
  max_bytes: unused('a claim returns less than 2 MiB, as any task: claim fewer rows (`max_rows`)'),
  lease_seconds: unused('a frame belongs to its execution until it is done, so that no lease expires'),
  heartbeat_seconds: unused('a running task has heartbeats of its own, and a lost one is repeated'),
  max_attempts: unused('rules of tasks decide about attempts'),
  retry_mode: field.keyword(['whole_frame'], 'Without effect.', {
    placeholder: 'what was lost is repeated task by task',
  }),
  verify_ipc: field.boolean('Without effect.', { placeholder: 'rows are not handed over through memory' }),
});

/** `spec.frame` of a loop. */
export const FRAME_OF_LOOP: SchemaField = field.nestedField(
  () => FRAME,
  'With `mode: cursor`: how many rows a claim takes, and how they are worked on.',
);
