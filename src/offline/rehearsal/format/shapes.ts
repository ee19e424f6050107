/** The format of rehearsal files as tables, used by the checker, the JSON Schema and the editor. */
import { type SchemaField, field, type SchemaShape, shape } from '../../../language/dsl/format';
import { type InvariantTime } from '../invariants/read';

const MESSAGE: SchemaShape = shape('`message`', 'error', {
  id: field.anyTextField('Its id.'),
  body: field.any('Its body: a text, or what JSON it has.'),
  headers: field.anyMappingField('Its headers.'),
  attributes: field.anyMappingField('Its attributes.'),
  metadata: field.anyMappingField('What its source says of it.'),
});

const CONTENT: Readonly<Record<string, SchemaField>> = {
  payload: field.anyMappingField('The input of the execution, merged over the workload.'),
  message: field.nestedField(
    () => MESSAGE,
    'The message that starts it, mapped by the `subscription` of the file.',
  ),
  mocks: field.anyMappingField(
    'The answers of tasks, by `task`, `step` or `step/task`, optionally with `[iteration]`: one answer, or a list that is consumed in order.',
  ),
  defaults: field.anyMappingField(
    'Answers of tasks without a mock, by kind (`http: {status: 200}`), for any number of calls.',
  ),
  unmocked: field.keyword(
    ['fail', 'null'],
    '`fail` (default): the rehearsal fails at a call without an answer; `null`: such a task succeeds with null as its result.',
  ),
  start_at: field.anyTextField('The simulated start time, RFC 3339 in quotes; default 2023-11-14T22:13:20Z.'),
  execution_id: field.anyTextField(
    'The execution id, digits in quotes: random numbers and ids of sub-playbooks follow from it.',
  ),
  limit: field.count('The number of engine decisions after which the run counts as endless; default 200000.'),
};

const EXPRESSIONS: SchemaField['type'] = { either: ['mapping', { list: 'text' }] };

/** Conditions on a run: of rehearsals, and of simulations. */
export const INVARIANTS: Readonly<Record<InvariantTime, SchemaField>> = {
  always: field.of(EXPRESSIONS, 'Conditions that hold after every decision, by name, or as a list.'),
  at_end: field.of(EXPRESSIONS, 'Conditions that hold at the end, by name, or as a list.'),
  per_iteration: field.of(
    EXPRESSIONS,
    'Conditions that hold at the end for every iteration of every loop, by name, or as a list.',
  ),
};

const ERROR_EXPECTED: SchemaShape = shape('`error`', 'error', {
  code: field.anyTextField('The code, e.g. `HTTP_503`.'),
  kind: field.anyTextField('The kind, e.g. `timeout`.'),
  message: field.anyTextField('A substring of the message, or a /regular expression/.'),
  step: field.name('The step that failed.'),
  task: field.name('The task that failed.'),
  iteration: field.amount('The iteration that failed, from 0.'),
  attempt: field.count('The last attempt, from 1.'),
  line: field.count('The line of the playbook in the error.'),
});

/** Where an event or a call belongs. */
const PLACE: Readonly<Record<string, SchemaField>> = {
  step: field.name('The step it belongs to.'),
  task: field.name('The task it belongs to.'),
  iteration: field.amount('The iteration, from 0.'),
  attempt: field.count('The attempt, from 1.'),
};

const EVENT_EXPECTED: SchemaShape = shape('an expected event', 'error', {
  type: field.required(field.name('The type, e.g. `task.retrying`.')),
  ...PLACE,
  status: field.anyTextField('The status of the event.'),
  payload: field.anyMappingField('Expected keys of its payload; other keys are ignored.'),
});

export const CALL_EXPECTED: SchemaShape = shape('an expected call', 'error', {
  input: field.anyMappingField('Evaluated inputs of the task; other keys are ignored.'),
  config: field.anyMappingField('Evaluated fields of the tool; other keys are ignored.'),
  timeout: field.anyMappingField('Seconds: `connect`, `read`, `total`.'),
  ...PLACE,
  at: field.anyTextField('When, in simulated time since the start: `2s`, `">= 2s"`.'),
});

/** `calls.<task>`; in addition to these keys a number selects the n-th call. */
export const CALLS_EXPECTED: SchemaShape = shape('the expected calls of a task', 'error', {
  count: field.anyTextField('How often: `3`, or `">= 2"`.'),
  first: field.nestedField(() => CALL_EXPECTED, 'The first call.'),
  last: field.nestedField(() => CALL_EXPECTED, 'The last call.'),
  each: field.nestedField(() => CALL_EXPECTED, 'Every call.'),
});

export const EXPECT: SchemaShape = shape('`expect`', 'error', {
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
  steps: field.listField('name', 'The steps in start order; `…` or `...` matches any number of them.'),
  ctx: field.anyMappingField('The variables of the execution at its end, exactly.'),
  ctx_includes: field.anyMappingField('Variables of the execution at its end; others are ignored.'),
  calls: field.anyMappingField('By task: how often it is called, and with what. A list contains every call.'),
  events: field.listField(
    { either: ['name', { shape: () => EVENT_EXPECTED }] },
    'Events that occur in this order; others in between are ignored.',
  ),
  never: field.listField(
    { either: ['name', { shape: () => EVENT_EXPECTED }] },
    'Events that must not occur.',
  ),
  ...INVARIANTS,
  elapsed: field.either(
    ['text', { list: 'text' }],
    'Simulated time from start to end: `3s`, `">= 3s"`, or a list of these.',
  ),
});

const EVENT_SENT: SchemaShape = shape('an external event', 'error', {
  name: field.required(field.anyTextField('The name that a task of kind `wait` waits for.')),
  payload: field.any(
    'The result of the wait that takes it; for a form, its fields, or `{rejected: true, reason}`.',
  ),
  by: field.anyTextField('Who answers a form.'),
  id: field.anyTextField('An event with a duplicate id is ignored.'),
});

export const HAPPENING: SchemaShape = shape('an entry of `events`', 'error', {
  after: field.required(field.anyTextField('Simulated time since the start, e.g. `5s`.')),
  pause: field.anyTextField('Pauses the execution: `true`, or the reason.'),
  resume: field.boolean('Resumes the execution: `true`.'),
  cancel: field.anyTextField('Cancels the execution: `true`, or the reason.'),
  set: field.anyMappingField('Variables to set from outside.'),
  delete: field.listField('name', 'Variables to delete from outside.'),
  event: field.either(
    ['name', { shape: () => EVENT_SENT }],
    'An external event: its name, or `{name, payload, id, by}`.',
  ),
});

const OTHER_EXECUTION: SchemaShape = shape('an entry of `others`', 'error', {
  execution: field.anyTextField('Its execution id, which events and notes name; default `other-1`, ….'),
  arrives: field.anyTextField(
    'When it asks, in simulated time since the start; default: before this execution.',
  ),
  ends: field.anyTextField('When it ends, in simulated time since the start; default: never.'),
});

const OWN: Readonly<Record<string, SchemaField>> = {
  others: field.listField(
    { shape: () => OTHER_EXECUTION },
    'Other executions with the same key, for `concurrency` and `debounce`; by default there are none.',
  ),
  events: field.listField({ shape: () => HAPPENING }, 'External input while the execution runs.'),
  expect: field.nestedField(() => EXPECT, 'The expected behavior; by default, that the execution completes.'),
};

const REHEARSAL: SchemaShape = shape('a rehearsal', 'error', {
  name: field.required(field.name('What it demonstrates, e.g. `stores every page`.')),
  ...CONTENT,
  ...OWN,
});

/** Root keys shared by several rehearsals; a file without `rehearsals` is a single one. */
export const REHEARSAL_FILE: SchemaShape = shape('a rehearsal file', 'error', {
  playbook: field.required(field.name('The playbook, as a path relative to this file.')),
  subscription: field.name('The subscription whose messages start it, as a path relative to this file.'),
  rehearsals: field.listField(
    { shape: () => REHEARSAL },
    'Rehearsals; each inherits payload, mocks and defaults of the root and may override them.',
  ),
  ...REHEARSAL.fields,
  name: field.name('What it demonstrates, in a file with one rehearsal.'),
});

/** `{error: …}` of a mock. */
export const ERROR_ANSWER: SchemaShape = shape('the error of an answer', 'open', {
  kind: field.name('The error kind; by default derived from status, SQLSTATE or tool.'),
  code: field.anyTextField('The code; by default derived from status, SQLSTATE, exception or kind.'),
  message: field.anyTextField('The message.'),
  status: field.count('The http status.'),
  retryable: field.boolean('Whether a retry makes sense; by default derived from the kind.'),
  retry_after: field.amount('Seconds the server asks to wait (`Retry-After`).'),
  sqlstate: field.anyTextField('The SQLSTATE of a database, e.g. `"40P01"`.'),
  exception_type: field.anyTextField('The class of a Python exception.'),
});
