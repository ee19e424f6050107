/** The format of rehearsal files as tables, used by the checker, the JSON Schema and the editor. */
import { type Field, type Shape } from '../../dsl/format';
import { type When } from '../invariants/invariant';

const CONTENT: Readonly<Record<string, Field>> = {
  payload: { type: 'mapping', doc: 'The input of the execution, merged over the workload.' },
  mocks: {
    type: 'mapping',
    doc: 'The answers of tasks, by `task`, `step` or `step/task`, optionally with `[iteration]`: one answer, or a list that is consumed in order.',
  },
  defaults: {
    type: 'mapping',
    doc: 'Answers of tasks without a mock, by kind (`http: {status: 200}`), for any number of calls.',
  },
  unmocked: {
    type: { values: ['fail', 'null'] },
    doc: '`fail` (default): the rehearsal fails at a call without an answer; `null`: such a task succeeds with null as its result.',
  },
  start_at: {
    type: 'text',
    doc: 'The simulated start time, RFC 3339 in quotes; default 2023-11-14T22:13:20Z.',
  },
  limit: {
    type: 'count',
    doc: 'The decisions of the engine after which the run counts as one without end; default 200000.',
  },
};

const EXPRESSIONS: Field['type'] = { either: ['mapping', { list: 'text' }] };

/** Conditions on a run: of rehearsals, and of simulations. */
export const INVARIANTS: Readonly<Record<When, Field>> = {
  always: { type: EXPRESSIONS, doc: 'Conditions that hold after every decision, by name, or as a list.' },
  at_end: { type: EXPRESSIONS, doc: 'Conditions that hold at the end, by name, or as a list.' },
  per_iteration: {
    type: EXPRESSIONS,
    doc: 'Conditions that hold at the end for every iteration of every loop, by name, or as a list.',
  },
};

const ERROR_EXPECTED: Shape = {
  title: '`error`',
  others: 'error',
  fields: {
    code: { type: 'text', doc: 'The code, e.g. `HTTP_503`.' },
    kind: { type: 'text', doc: 'The kind, e.g. `timeout`.' },
    message: { type: 'text', doc: 'A substring of the message, or a /regular expression/.' },
    step: { type: 'name', doc: 'The step that failed.' },
    task: { type: 'name', doc: 'The task that failed.' },
    iteration: { type: 'amount', doc: 'The iteration that failed, from 0.' },
    attempt: { type: 'count', doc: 'The last attempt, from 1.' },
    line: { type: 'count', doc: 'The line of the playbook in the error.' },
  },
};

/** Where an event or a call belongs. */
const PLACE: Readonly<Record<string, Field>> = {
  step: { type: 'name', doc: 'The step it belongs to.' },
  task: { type: 'name', doc: 'The task it belongs to.' },
  iteration: { type: 'amount', doc: 'The iteration, from 0.' },
  attempt: { type: 'count', doc: 'The attempt, from 1.' },
};

const EVENT_EXPECTED: Shape = {
  title: 'an expected event',
  others: 'error',
  fields: {
    type: { type: 'name', doc: 'The type, e.g. `task.retrying`.', required: true },
    ...PLACE,
    status: { type: 'text', doc: 'The status of the event.' },
    payload: { type: 'mapping', doc: 'Expected keys of its payload; other keys are ignored.' },
  },
};

export const CALL_EXPECTED: Shape = {
  title: 'an expected call',
  others: 'error',
  fields: {
    input: { type: 'mapping', doc: 'Evaluated inputs of the task; other keys are ignored.' },
    config: { type: 'mapping', doc: 'Evaluated fields of the tool; other keys are ignored.' },
    timeout: { type: 'mapping', doc: 'Seconds: `connect`, `read`, `total`.' },
    ...PLACE,
    at: { type: 'text', doc: 'When, in simulated time since the start: `2s`, `">= 2s"`.' },
  },
};

/** `calls.<task>`; in addition to these keys a number selects the n-th call. */
export const CALLS_EXPECTED: Shape = {
  title: 'the expected calls of a task',
  others: 'error',
  fields: {
    count: { type: 'text', doc: 'How often: `3`, or `">= 2"`.' },
    first: { type: { shape: () => CALL_EXPECTED }, doc: 'The first call.' },
    last: { type: { shape: () => CALL_EXPECTED }, doc: 'The last call.' },
    each: { type: { shape: () => CALL_EXPECTED }, doc: 'Every call.' },
  },
};

export const EXPECT: Shape = {
  title: '`expect`',
  others: 'error',
  fields: {
    status: {
      type: { values: ['completed', 'failed', 'cancelled', 'waiting'] },
      doc: 'How the execution ends; default `completed`, or `failed` if an `error` is expected; `waiting`: it needs external input to continue.',
    },
    result: { type: 'any', doc: 'The result, exactly.' },
    result_includes: {
      type: 'any',
      doc: 'Expected parts of the result; other keys of mappings are ignored.',
    },
    error: {
      type: { either: ['text', { shape: () => ERROR_EXPECTED }] },
      doc: 'The error: its code, or several of its fields.',
    },
    steps: {
      type: { list: 'name' },
      doc: 'The steps in start order; `…` or `...` matches any number of them.',
    },
    ctx: { type: 'mapping', doc: 'The variables of the execution at its end, exactly.' },
    ctx_includes: { type: 'mapping', doc: 'Variables of the execution at its end; others are ignored.' },
    calls: {
      type: 'mapping',
      doc: 'By task: how often it is called, and with what. A list contains every call.',
    },
    events: {
      type: { list: { either: ['name', { shape: () => EVENT_EXPECTED }] } },
      doc: 'Events that occur in this order; others in between are ignored.',
    },
    never: {
      type: { list: { either: ['name', { shape: () => EVENT_EXPECTED }] } },
      doc: 'Events that must not occur.',
    },
    ...INVARIANTS,
    elapsed: {
      type: { either: ['text', { list: 'text' }] },
      doc: 'Simulated time from start to end: `3s`, `">= 3s"`, or a list of these.',
    },
  },
};

const EVENT_SENT: Shape = {
  title: 'an external event',
  others: 'error',
  fields: {
    name: { type: 'text', doc: 'The name that a task of kind `wait` waits for.', required: true },
    payload: { type: 'any', doc: 'The result of the wait that takes it.' },
    id: { type: 'text', doc: 'An event with a duplicate id is ignored.' },
  },
};

export const HAPPENING: Shape = {
  title: 'an entry of `events`',
  others: 'error',
  fields: {
    after: { type: 'text', doc: 'Simulated time since the start, e.g. `5s`.', required: true },
    pause: { type: 'text', doc: 'Pauses the execution: `true`, or the reason.' },
    resume: { type: 'boolean', doc: 'Resumes the execution: `true`.' },
    cancel: { type: 'text', doc: 'Cancels the execution: `true`, or the reason.' },
    set: { type: 'mapping', doc: 'Variables to set from outside.' },
    delete: { type: { list: 'name' }, doc: 'Variables to delete from outside.' },
    event: {
      type: { either: ['name', { shape: () => EVENT_SENT }] },
      doc: 'An external event: its name, or `{name, payload, id}`.',
    },
  },
};

const OTHER_EXECUTION: Shape = {
  title: 'an entry of `others`',
  others: 'error',
  fields: {
    execution: { type: 'text', doc: 'Its execution id, which events and notes name; default `other-1`, ….' },
    arrives: {
      type: 'text',
      doc: 'When it asks, in simulated time since the start; default: before this execution.',
    },
    ends: { type: 'text', doc: 'When it ends, in simulated time since the start; default: never.' },
  },
};

const OWN: Readonly<Record<string, Field>> = {
  others: {
    type: { list: { shape: () => OTHER_EXECUTION } },
    doc: 'Other executions with the same key, for `concurrency` and `debounce`; by default there are none.',
  },
  events: {
    type: { list: { shape: () => HAPPENING } },
    doc: 'External input while the execution runs.',
  },
  expect: {
    type: { shape: () => EXPECT },
    doc: 'The expected behaviour; by default, that the execution completes.',
  },
};

const REHEARSAL: Shape = {
  title: 'a rehearsal',
  others: 'error',
  fields: {
    name: { type: 'name', doc: 'What it demonstrates, e.g. `stores every page`.', required: true },
    ...CONTENT,
    ...OWN,
  },
};

/** Root keys shared by several rehearsals; a file without `rehearsals` is a single one. */
export const REHEARSAL_FILE: Shape = {
  title: 'a rehearsal file',
  others: 'error',
  fields: {
    playbook: {
      type: 'name',
      doc: 'The playbook, as a path relative to this file.',
      required: true,
    },
    rehearsals: {
      type: { list: { shape: () => REHEARSAL } },
      doc: 'Rehearsals; each inherits payload, mocks and defaults of the root and may override them.',
    },
    ...REHEARSAL.fields,
    name: { type: 'name', doc: 'What it demonstrates, in a file with one rehearsal.' },
  },
};

/** `{error: …}` of a mock. */
export const ERROR_ANSWER: Shape = {
  title: 'the error of an answer',
  others: 'open',
  fields: {
    kind: { type: 'name', doc: 'The error kind; by default derived from status, SQLSTATE or tool.' },
    code: { type: 'text', doc: 'The code; by default derived from status, SQLSTATE, exception or kind.' },
    message: { type: 'text', doc: 'The message.' },
    status: { type: 'count', doc: 'The http status.' },
    retryable: { type: 'boolean', doc: 'Whether a retry makes sense; by default derived from the kind.' },
    retry_after: { type: 'amount', doc: 'Seconds the server asks to wait (`Retry-After`).' },
    sqlstate: { type: 'text', doc: 'The SQLSTATE of a database, e.g. `"40P01"`.' },
    exception_type: { type: 'text', doc: 'The class of a Python exception.' },
  },
};
