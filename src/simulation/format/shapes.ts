/** The format of faults files as tables, used by the checker and the JSON Schema. */
import { type Field, type Shape } from '../../dsl/format';
import { HAPPENING, INVARIANTS } from '../../rehearsal';

const TIME: Field['type'] = { either: ['text', { list: 'text' }] };

/** Its key is `all`, a kind, or a task as in the mocks of rehearsals; the most specific one wins, key by key. */
export const FAULTS: Shape = {
  title: 'the faults of a task',
  others: 'error',
  fields: {
    failures: { type: 'text', doc: 'How often a call fails: `0.1` or `10%`; default 0.' },
    errors: {
      type: { list: 'any' },
      doc: 'The failures to draw from, each as `error` in rehearsals (`timeout`, `{status: 503}`); default: typical ones of the kind.',
    },
    lost: {
      type: 'text',
      doc: 'How often the tool does its work and its worker is lost before it can say so: the call fails with `worker_lost`; default 0.',
    },
    duplicates: {
      type: 'text',
      doc: 'How often the tool does its work twice because Temporal tried again; default 0.',
    },
    delay: {
      type: TIME,
      doc: 'How long a call takes: `2s`, or `[0s, 2s]` to draw from; default: as in the rehearsal. A call that exceeds its timeout fails with `timeout`.',
    },
    answers: {
      type: 'any',
      doc: 'Answers to draw from, as mocks of rehearsals; default: those of the rehearsals, else the least that the tool can answer. One with `repeat: 3` is drawn three times as often.',
    },
  },
};

export const EVENT_DRAWN: Shape = {
  ...HAPPENING,
  fields: {
    ...HAPPENING.fields,
    after: {
      type: TIME,
      doc: 'Simulated time since the start: `5s`, or `[0s, 1h]` to draw from.',
      required: true,
    },
    lost: { type: 'text', doc: 'How often it never comes; default 0.' },
    duplicates: { type: 'text', doc: 'How often it comes twice; default 0.' },
  },
};

export const FAULTS_FILE: Shape = {
  title: 'a faults file',
  others: 'error',
  fields: {
    payload: { type: 'mapping', doc: 'Inputs of every run, merged over those of the rehearsal.' },
    draw: { type: 'mapping', doc: 'Inputs to draw: by name, a list of values. Merged over `payload`.' },
    rehearsals: {
      type: 'boolean',
      doc: 'Whether every run begins as one of the rehearsals beside the playbook, with its inputs, answers and events; default true.',
    },
    faults: {
      type: 'mapping',
      doc: 'By `all`, kind, `step`, `task` or `step/task`: how calls go wrong. The most specific one wins, key by key.',
    },
    events: { type: { list: { shape: () => EVENT_DRAWN } }, doc: 'External input while the execution runs.' },
    may_wait: {
      type: 'boolean',
      doc: 'Whether a run may end waiting for something that never comes; default false.',
    },
    limit: {
      type: 'count',
      doc: 'The decisions of the engine after which a run counts as one without end; default 500.',
    },
    ...INVARIANTS,
  },
};
