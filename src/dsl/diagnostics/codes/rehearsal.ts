import { type CodeEntry } from './entry';

/** NT7xxx: rehearsals (src/rehearsal), which share syntax (NT1) and structure (NT2) with playbooks. */
export const REHEARSAL_CODES = {
  NT7001: {
    severity: 'error',
    title: 'Playbook of the rehearsal',
    explanation:
      'The playbook that the rehearsal names is not there or has errors. The path is relative to the rehearsal file.',
  },
  NT7002: {
    severity: 'error',
    title: 'No such task',
    explanation:
      'A mock or an expectation names a task by `task`, `step` or `step/task`, and with `[0]` one iteration of it. The playbook has nothing of this name.',
  },
  NT7003: {
    severity: 'error',
    title: 'Answer that the tool cannot give',
    explanation:
      'What a mock answers depends on the kind of the task: a response with `status` and `body` of an http task, `rows` of a query, any value of Python. What stands under `result` is taken as it is.',
  },
  NT7004: {
    severity: 'error',
    title: 'Amount not understood',
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
    title: 'Two rehearsals of one name',
    explanation: 'Reports name rehearsals; each name stands once in a file.',
  },
  NT7007: {
    severity: 'error',
    title: 'Not one happening',
    explanation:
      'An entry of `events` is one thing that comes from outside: `pause`, `resume`, `cancel`, `set` or `delete`.',
  },
  NT7008: {
    severity: 'error',
    title: 'Not a regular expression',
    explanation: 'A text between slashes is a regular expression, and this one cannot be read.',
  },
} as const satisfies Record<string, CodeEntry>;
