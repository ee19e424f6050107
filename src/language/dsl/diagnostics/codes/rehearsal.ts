import { type CodeEntry, error } from './entry';

/** NT7xxx: rehearsals (src/offline/rehearsal), which share syntax (NT1) and structure (NT2) with playbooks. */
export const REHEARSAL_CODES = {
  NT7001: error(
    'Playbook of the rehearsal',
    'The playbook that the rehearsal names does not exist or has errors. The path is relative to the rehearsal file.',
  ),
  NT7002: error(
    'No such task',
    'A mock or an expectation names a task by `task`, `step` or `step/task`, with `[0]` for one iteration. The playbook has nothing with this name.',
  ),
  NT7003: error(
    'Answer that the tool cannot give',
    'The answer of a mock depends on the kind of the task: a response with `status` and `body` for an http task, `rows` for a query, any value for Python. The value of `result` is used unchanged.',
  ),
  NT7004: error(
    'Invalid amount',
    'A time is a number of seconds or `200ms`, `5s`, `2m`, `1h`, `7d`; a comparison begins with `>=`, `>`, `<=`, `<` or `==`.',
  ),
  NT7005: error(
    'Expectation that cannot come true',
    'The playbook has no such step, or no event has this name.',
  ),
  NT7006: error(
    'Two rehearsals with the same name',
    'Reports identify rehearsals by name; each name must be unique within a file.',
  ),
  NT7007: error(
    'Not exactly one message',
    'An entry of `events` is one message from outside: `pause`, `resume`, `cancel`, `set`, `delete` or `event`.',
  ),
  NT7008: error(
    'Invalid regular expression',
    'A text between slashes is a regular expression, and this one cannot be parsed.',
  ),
  NT7010: error(
    'Message that starts nothing',
    'A rehearsal that begins with a `message` names the file of a `subscription`, which maps the message to the workload. The file is missing or has errors, or the subscription leaves the message out or cannot map it.',
  ),
  NT7009: error(
    'Invariant that cannot be evaluated',
    'An invariant is an expression over the run: `status`, `ctx`, `workload`, `result`, `error`, `steps`, `results`, `calls`, `events`, `elapsed`, and in `per_iteration` also `iteration`.',
  ),
} satisfies Record<string, CodeEntry>;
