import { type CodeEntry } from './entry';

/** NT7xxx: rehearsals (src/rehearsal), which share syntax (NT1) and structure (NT2) with playbooks. */
export const REHEARSAL_CODES = {
  NT7001: {
    severity: 'error',
    title: 'Playbook of the rehearsal',
    explanation:
      'The playbook that the rehearsal names does not exist or has errors. The path is relative to the rehearsal file.',
  },
  NT7002: {
    severity: 'error',
    title: 'No such task',
    explanation:
      'A mock or an expectation names a task by `task`, `step` or `step/task`, with `[0]` for one iteration. The playbook has nothing with this name.',
  },
  NT7003: {
    severity: 'error',
    title: 'Answer that the tool cannot give',
    explanation:
      'The answer of a mock depends on the kind of the task: a response with `status` and `body` for an http task, `rows` for a query, any value for Python. The value of `result` is used unchanged.',
  },
  NT7004: {
    severity: 'error',
    title: 'Invalid amount',
    explanation:
      'A time is a number of seconds or `200ms`, `5s`, `2m`, `1h`, `7d`; a comparison begins with `>=`, `>`, `<=`, `<` or `==`.',
  },
  NT7005: {
    severity: 'error',
    title: 'Expectation that cannot come true',
    explanation: 'The playbook has no such step, or no event has this name.',
  },
  NT7006: {
    severity: 'error',
    title: 'Two rehearsals with the same name',
    explanation: 'Reports identify rehearsals by name; each name must be unique within a file.',
  },
  NT7007: {
    severity: 'error',
    title: 'Not exactly one message',
    explanation:
      'An entry of `events` is one message from outside: `pause`, `resume`, `cancel`, `set`, `delete` or `event`.',
  },
  NT7008: {
    severity: 'error',
    title: 'Invalid regular expression',
    explanation: 'A text between slashes is a regular expression, and this one cannot be parsed.',
  },
  NT7009: {
    severity: 'error',
    title: 'Invariant that cannot be evaluated',
    explanation:
      'An invariant is an expression over the run: `status`, `ctx`, `workload`, `result`, `error`, `steps`, `results`, `calls`, `events`, `elapsed`, and in `per_iteration` also `iteration`.',
  },
} as const satisfies Record<string, CodeEntry>;
