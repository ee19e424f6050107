/** The format of rehearsal files as tables, used by the checker, the JSON Schema and the editor. */
import { type Field, field, type Shape, shape } from '../../../language/dsl/format';
import { type When } from '../invariants/invariant';

const CONTENT: Readonly<Record<string, Field>> = {
  payload: field.mapping('The input of the execution, merged over the workload.'),
  mocks: field.mapping(
    'The answers of tasks, by `task`, `step` or `step/task`, optionally with `[iteration]`: one answer, or a list that is consumed in order.',
  ),
  defaults: field.mapping(
    'Answers of tasks without a mock, by kind (`http: {status: 200}`), for any number of calls.',
  ),
  unmocked: field.keyword(
    ['fail', 'null'],
    '`fail` (default): the rehearsal fails at a call without an answer; `null`: such a task succeeds with null as its result.',
  ),
  start_at: field.text('The simulated start time, RFC 3339 in quotes; default 2023-11-14T22:13:20Z.'),
  limit: field.count('The number of engine decisions after which the run counts as endless; default 200000.'),
};

const EXPRESSIONS: Field['type'] = { either: ['mapping', { list: 'text' }] };

/** Conditions on a run: of rehearsals, and of simulations. */
export const INVARIANTS: Readonly<Record<When, Field>> = {
  always: field.of(EXPRESSIONS, 'Conditions that hold after every decision, by name, or as a list.'),
  at_end: field.of(EXPRESSIONS, 'Conditions that hold at the end, by name, or as a list.'),
  per_iteration: field.of(
    EXPRESSIONS,
    'Conditions that hold at the end for every iteration of every loop, by name, or as a list.',
  ),
};

const ERROR_EXPECTED: Shape = shape('`error`', 'error', {
  code: field.text('The code, e.g. `HTTP_503`.'),
  kind: field.text('The kind, e.g. `timeout`.'),
  message: field.text('A substring of the message, or a /regular expression/.'),
  step: field.name('The step that failed.'),
  task: field.name('The task that failed.'),
  iteration: field.amount('The iteration that failed, from 0.'),
  attempt: field.count('The last attempt, from 1.'),
  line: field.count('The line of the playbook in the error.'),
});

/** Where an event or a call belongs. */
const PLACE: Readonly<Record<string, Field>> = {
  step: field.name('The step it belongs to.'),
  task: field.name('The task it belongs to.'),
  iteration: field.amount('The iteration, from 0.'),
  attempt: field.count('The attempt, from 1.'),
};

const EVENT_EXPECTED: Shape = shape('an expected event', 'error', {
  type: field.required(field.name('The type, e.g. `task.retrying`.')),
  ...PLACE,
  status: field.text('The status of the event.'),
  payload: field.mapping('Expected keys of its payload; other keys are ignored.'),
});

export const CALL_EXPECTED: Shape = shape('an expected call', 'error', {
  input: field.mapping('Evaluated inputs of the task; other keys are ignored.'),
  config: field.mapping('Evaluated fields of the tool; other keys are ignored.'),
  timeout: field.mapping('Seconds: `connect`, `read`, `total`.'),
  ...PLACE,
  at: field.text('When, in simulated time since the start: `2s`, `">= 2s"`.'),
});

/** `calls.<task>`; in addition to these keys a number selects the n-th call. */
export const CALLS_EXPECTED: Shape = shape('the expected calls of a task', 'error', {
  count: field.text('How often: `3`, or `">= 2"`.'),
  first: field.nested(() => CALL_EXPECTED, 'The first call.'),
  last: field.nested(() => CALL_EXPECTED, 'The last call.'),
  each: field.nested(() => CALL_EXPECTED, 'Every call.'),
});

export const EXPECT: Shape = shape('`expect`', 'error', {
  status: field.keyword(
    ['completed', 'failed', 'cancelled', 'waiting'],
    'How the execution ends; default `completed`, or `failed` if an `error` is expected; `waiting`: it needs external input to continue.',
  ),
  result: field.any('The result, exactly.'),
  result_includes: field.any('Expected parts of the result; other keys of mappings are ignored.'),
  error: field.either(
    ['text', { shape: () => ERROR_EXPECTED }],
    'The error: its code, or several of its fields.',
  ),
  steps: field.listOf('name', 'The steps in start order; `…` or `...` matches any number of them.'),
  ctx: field.mapping('The variables of the execution at its end, exactly.'),
  ctx_includes: field.mapping('Variables of the execution at its end; others are ignored.'),
  calls: field.mapping('By task: how often it is called, and with what. A list contains every call.'),
  events: field.listOf(
    { either: ['name', { shape: () => EVENT_EXPECTED }] },
    'Events that occur in this order; others in between are ignored.',
  ),
  never: field.listOf({ either: ['name', { shape: () => EVENT_EXPECTED }] }, 'Events that must not occur.'),
  ...INVARIANTS,
  elapsed: field.either(
    ['text', { list: 'text' }],
    'Simulated time from start to end: `3s`, `">= 3s"`, or a list of these.',
  ),
});

const EVENT_SENT: Shape = shape('an external event', 'error', {
  name: field.required(field.text('The name that a task of kind `wait` waits for.')),
  payload: field.any('The result of the wait that takes it.'),
  id: field.text('An event with a duplicate id is ignored.'),
});

export const HAPPENING: Shape = shape('an entry of `events`', 'error', {
  after: field.required(field.text('Simulated time since the start, e.g. `5s`.')),
  pause: field.text('Pauses the execution: `true`, or the reason.'),
  resume: field.boolean('Resumes the execution: `true`.'),
  cancel: field.text('Cancels the execution: `true`, or the reason.'),
  set: field.mapping('Variables to set from outside.'),
  delete: field.listOf('name', 'Variables to delete from outside.'),
  event: field.either(
    ['name', { shape: () => EVENT_SENT }],
    'An external event: its name, or `{name, payload, id}`.',
  ),
});

const OTHER_EXECUTION: Shape = shape('an entry of `others`', 'error', {
  execution: field.text('Its execution id, which events and notes name; default `other-1`, ….'),
  arrives: field.text('When it asks, in simulated time since the start; default: before this execution.'),
  ends: field.text('When it ends, in simulated time since the start; default: never.'),
});

const OWN: Readonly<Record<string, Field>> = {
  others: field.listOf(
    { shape: () => OTHER_EXECUTION },
    'Other executions with the same key, for `concurrency` and `debounce`; by default there are none.',
  ),
  events: field.listOf({ shape: () => HAPPENING }, 'External input while the execution runs.'),
  expect: field.nested(() => EXPECT, 'The expected behavior; by default, that the execution completes.'),
};

const REHEARSAL: Shape = shape('a rehearsal', 'error', {
  name: field.required(field.name('What it demonstrates, e.g. `stores every page`.')),
  ...CONTENT,
  ...OWN,
});

/** Root keys shared by several rehearsals; a file without `rehearsals` is a single one. */
export const REHEARSAL_FILE: Shape = shape('a rehearsal file', 'error', {
  playbook: field.required(field.name('The playbook, as a path relative to this file.')),
  rehearsals: field.listOf(
    { shape: () => REHEARSAL },
    'Rehearsals; each inherits payload, mocks and defaults of the root and may override them.',
  ),
  ...REHEARSAL.fields,
  name: field.name('What it demonstrates, in a file with one rehearsal.'),
});

/** `{error: …}` of a mock. */
export const ERROR_ANSWER: Shape = shape('the error of an answer', 'open', {
  kind: field.name('The error kind; by default derived from status, SQLSTATE or tool.'),
  code: field.text('The code; by default derived from status, SQLSTATE, exception or kind.'),
  message: field.text('The message.'),
  status: field.count('The http status.'),
  retryable: field.boolean('Whether a retry makes sense; by default derived from the kind.'),
  retry_after: field.amount('Seconds the server asks to wait (`Retry-After`).'),
  sqlstate: field.text('The SQLSTATE of a database, e.g. `"40P01"`.'),
  exception_type: field.text('The class of a Python exception.'),
});
