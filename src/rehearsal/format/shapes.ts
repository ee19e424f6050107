/** What a rehearsal file may hold, as tables: the checker, the JSON Schema and the editor read them. */
import { type Field, type Shape } from '../../dsl/format';

const CONTENT: Readonly<Record<string, Field>> = {
  payload: { type: 'mapping', doc: 'What the execution starts with, laid over the workload.' },
  mocks: {
    type: 'mapping',
    doc: 'What tasks answer: `task`, `step`, `step/task`, each perhaps with `[iteration]`, and one answer or a list of them, used up in their order.',
  },
  defaults: {
    type: 'mapping',
    doc: 'What tasks without a mock answer, by kind (`http: {status: 200}`), however often they are called.',
  },
  unmocked: {
    type: { values: ['fail', 'null'] },
    doc: '`fail` (unless written): the rehearsal fails at a call that nothing answers; `null`: such a task is done, with null as its result.',
  },
  start_at: {
    type: 'text',
    doc: 'The simulated time of the start, RFC 3339 in quotes; 2023-11-14T22:13:20Z unless written.',
  },
};

export const ERROR_EXPECTED: Shape = {
  title: '`error`',
  others: 'error',
  fields: {
    code: { type: 'text', doc: 'The code, e.g. `HTTP_503`.' },
    kind: { type: 'text', doc: 'The kind, e.g. `timeout`.' },
    message: { type: 'text', doc: 'A part of the message, or a /regular expression/.' },
    step: { type: 'name', doc: 'The step that failed.' },
    task: { type: 'name', doc: 'The task that failed.' },
    iteration: { type: 'amount', doc: 'The iteration that failed, from 0.' },
    attempt: { type: 'count', doc: 'The last attempt, from 1.' },
    line: { type: 'count', doc: 'The line of the playbook that the error names.' },
  },
};

export const EVENT_EXPECTED: Shape = {
  title: 'an expected event',
  others: 'error',
  fields: {
    type: { type: 'name', doc: 'The type, e.g. `task.retrying`.', required: true },
    step: { type: 'name', doc: 'The step it belongs to.' },
    task: { type: 'name', doc: 'The task it belongs to.' },
    iteration: { type: 'amount', doc: 'The iteration, from 0.' },
    attempt: { type: 'count', doc: 'The attempt, from 1.' },
    status: { type: 'text', doc: 'The status of the event.' },
    payload: { type: 'mapping', doc: 'What its payload holds, other keys aside.' },
  },
};

export const CALL_EXPECTED: Shape = {
  title: 'an expected call',
  others: 'error',
  fields: {
    input: { type: 'mapping', doc: 'Inputs of the task, templates evaluated; other keys aside.' },
    config: { type: 'mapping', doc: 'Fields of the tool, templates evaluated; other keys aside.' },
    timeout: { type: 'mapping', doc: 'Seconds: `connect`, `read`, `total`.' },
    step: { type: 'name', doc: 'The step that called.' },
    task: { type: 'name', doc: 'The task that called.' },
    iteration: { type: 'amount', doc: 'The iteration, from 0.' },
    attempt: { type: 'count', doc: 'The attempt, from 1.' },
    at: { type: 'text', doc: 'When, in simulated time from the start: `2s`, `">= 2s"`.' },
  },
};

/** `calls.<task>`; beside these keys a number names the n-th call. */
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
      doc: 'How the execution ends: `completed` unless written or an `error` is expected; `waiting`: it goes on only by something from outside.',
    },
    result: { type: 'any', doc: 'The result, exactly.' },
    result_includes: { type: 'any', doc: 'What the result holds, other keys of mappings aside.' },
    error: {
      type: { either: ['text', { shape: () => ERROR_EXPECTED }] },
      doc: 'The error: its code, or several of its fields.',
    },
    steps: {
      type: { list: 'name' },
      doc: 'The steps in the order they started; `…` or `...` stands for any number of them.',
    },
    ctx: { type: 'mapping', doc: 'The variables of the execution at its end, exactly.' },
    ctx_includes: { type: 'mapping', doc: 'Variables of the execution at its end, others aside.' },
    calls: {
      type: 'mapping',
      doc: 'By task: how often it is called, and with what. A list names every call.',
    },
    events: {
      type: { list: { either: ['name', { shape: () => EVENT_EXPECTED }] } },
      doc: 'Events that come in this order, others between them aside.',
    },
    never: {
      type: { list: { either: ['name', { shape: () => EVENT_EXPECTED }] } },
      doc: 'Events that do not come.',
    },
    elapsed: {
      type: { either: ['text', { list: 'text' }] },
      doc: 'Simulated time from start to end: `3s`, `">= 3s"`, or a list of such.',
    },
  },
};

export const EVENT_SENT: Shape = {
  title: 'an external event',
  others: 'error',
  fields: {
    name: { type: 'text', doc: 'The name that a task of kind `wait` waits for.', required: true },
    payload: { type: 'any', doc: 'The result of the wait that takes it.' },
    id: { type: 'text', doc: 'An event whose id came before is ignored.' },
  },
};

export const HAPPENING: Shape = {
  title: 'an entry of `events`',
  others: 'error',
  fields: {
    after: { type: 'text', doc: 'Simulated time from the start, e.g. `5s`.', required: true },
    pause: { type: 'text', doc: 'No new task starts from here on: `true`, or the reason.' },
    resume: { type: 'boolean', doc: 'The end of a pause: `true`.' },
    cancel: { type: 'text', doc: 'The execution is cancelled: `true`, or the reason.' },
    set: { type: 'mapping', doc: 'Variables of the execution, written from outside.' },
    delete: { type: { list: 'name' }, doc: 'Variables of the execution, deleted from outside.' },
    event: {
      type: { either: ['name', { shape: () => EVENT_SENT }] },
      doc: 'An external event: its name, or `{name, payload, id}`.',
    },
  },
};

const OWN: Readonly<Record<string, Field>> = {
  events: {
    type: { list: { shape: () => HAPPENING } },
    doc: 'What comes from outside while the execution runs.',
  },
  expect: {
    type: { shape: () => EXPECT },
    doc: 'What is to come true; without it, that the execution completes.',
  },
};

export const REHEARSAL: Shape = {
  title: 'a rehearsal',
  others: 'error',
  fields: {
    name: { type: 'name', doc: 'What it shows, e.g. `stores every page`.', required: true },
    ...CONTENT,
    ...OWN,
  },
};

/** Several rehearsals share what stands at the root; a file without `rehearsals` is one. */
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
      doc: 'Rehearsals; payload, mocks and defaults of the root hold for each, under its own.',
    },
    ...REHEARSAL.fields,
    name: { type: 'name', doc: 'What it shows, in a file of one rehearsal.' },
  },
};

/** `{error: …}` of a mock. */
export const ERROR_ANSWER: Shape = {
  title: 'the error of an answer',
  others: 'open',
  fields: {
    kind: { type: 'name', doc: 'One of the kinds of errors; by status, SQLSTATE or tool unless written.' },
    code: { type: 'text', doc: 'The code; by status, SQLSTATE, exception or kind unless written.' },
    message: { type: 'text', doc: 'The message.' },
    status: { type: 'count', doc: 'The http status.' },
    retryable: { type: 'boolean', doc: 'Whether another try makes sense; by kind unless written.' },
    retry_after: { type: 'amount', doc: 'Seconds that the server asks to wait.' },
    sqlstate: { type: 'text', doc: 'The SQLSTATE of a database, e.g. `"40P01"`.' },
    exception_type: { type: 'text', doc: 'The class of a Python exception.' },
  },
};
