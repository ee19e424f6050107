/** The format of faults files as tables, used by the checker and the JSON Schema. */
import { type SchemaField, field, type SchemaShape, shape } from '../../../language/dsl/format';
import { HAPPENING, INVARIANTS } from '../../rehearsal';

const TIME: SchemaField['type'] = { either: ['text', { list: 'text' }] };

/** Its key is `all`, a kind, or a task as in the mocks of rehearsals; the most specific one wins, key by key. */
export const FAULTS: SchemaShape = shape('the faults of a task', 'error', {
  failures: field.anyTextField('How often a call fails: `0.1` or `10%`; default 0.'),
  errors: field.listField(
    'any',
    'The failures to draw from, each as `error` in rehearsals (`timeout`, `{status: 503}`); default: typical ones of the kind.',
  ),
  lost: field.anyTextField(
    'How often the tool does its work and its worker is lost before it can say so: the call fails with `worker_lost`; default 0.',
  ),
  duplicates: field.anyTextField(
    'How often the tool does its work twice because Temporal tried again; default 0.',
  ),
  delay: field.of(
    TIME,
    'How long a call takes: `2s`, or `[0s, 2s]` to draw from; default: as in the rehearsal. A call that exceeds its timeout fails with `timeout`.',
  ),
  answers: field.any(
    'Answers to draw from, as mocks of rehearsals; default: those of the rehearsals, else the least that the tool can answer. One with `repeat: 3` is drawn three times as often.',
  ),
});

const EVENT_DRAWN: SchemaShape = {
  ...HAPPENING,
  fields: {
    ...HAPPENING.fields,
    after: field.required(
      field.of(TIME, 'Simulated time since the start: `5s`, or `[0s, 1h]` to draw from.'),
    ),
    lost: field.anyTextField('How often it never comes; default 0.'),
    duplicates: field.anyTextField('How often it comes twice; default 0.'),
  },
};

export const FAULTS_FILE: SchemaShape = shape('a faults file', 'error', {
  payload: field.anyMappingField('Inputs of every run, merged over those of the rehearsal.'),
  draw: field.anyMappingField('Inputs to draw: by name, a list of values. Merged over `payload`.'),
  rehearsals: field.boolean(
    'Whether every run begins as one of the rehearsals beside the playbook, with its inputs, answers and events; default true.',
  ),
  faults: field.anyMappingField(
    'By `all`, kind, `step`, `task` or `step/task`: how calls go wrong. The most specific one wins, key by key.',
  ),
  events: field.listField({ shape: () => EVENT_DRAWN }, 'External input while the execution runs.'),
  may_wait: field.boolean('Whether a run may end waiting for something that never comes; default false.'),
  limit: field.count('The number of engine decisions after which a run counts as endless; default 500.'),
  ...INVARIANTS,
});
