import { EnvironmentError } from '../../language/errors';
import { UsageError } from '../errors';
import { failureText } from './failure';
import { printable, wantsColor } from './paint';
import { plainError } from '../../history/document-error';
import { errorText } from './say';

const yaml = 'a\nb\n  - step: fetch\n    tool: x\ne\n';
const error = {
  ...plainError('HTTP_503', 'Service Unavailable'),
  kind: 'server_error',
  step: 'fetch',
  task: 'get',
  iteration: 7,
  attempt: 3,
  at: { file: 'x.yaml', line: 3, column: 5 },
};

test('a failure shows where, the YAML around it, the words of the tool and a hint', () => {
  expect(failureText(error, yaml, false).split('\n')).toEqual([
    '✗ Failed: HTTP_503 (server_error)',
    '  step fetch · task get · item 8 (index 7) · attempt 3',
    '  x.yaml:3:5',
    '',
    '    1 │ a',
    '    2 │ b',
    '  › 3 │   - step: fetch',
    '      │     ^',
    '    4 │     tool: x',
    '    5 │ e',
    '',
    '  Service Unavailable',
    '',
    '  hint: a rule `when: "{{ output.error.retryable }}"` with `do: retry` survives an outage of the server.',
  ]);
});

test('a time limit of nothing is not helped by more time', () => {
  const text = failureText(plainError('TIMEOUT_NUMBER', 'timeout must be above 0'), undefined, false);
  expect(text).not.toContain('more time');
  expect(failureText(plainError('TIMEOUT', 'late'), undefined, false)).toContain('more time');
});

test('a module that is not there: the field that installs it is named', () => {
  const missing = plainError('PY_ModuleNotFoundError', "ModuleNotFoundError: No module named 'pandas'");
  expect(failureText(missing, undefined, false)).toContain(
    'hint: `libs: { requirements: [MODULE] }` of the task',
  );
});

test('more time is offered to what took too long, not to a limit that is none', () => {
  const hint = (code: string): boolean =>
    failureText(plainError(code, 'no'), undefined, false).includes('more time');
  expect(['TIMEOUT', 'READ_TIMEOUT', 'TIMEOUT_NUMBER'].map(hint)).toEqual([true, true, false]);
});

test('the end of what a script printed is shown', () => {
  const stdout = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
  const text = failureText(
    { ...plainError('PY_ValueError', 'no'), cause: { py: { stdout } } },
    undefined,
    false,
  );
  expect(text).toContain('stdout, last 10 of 30 lines');
  expect(text).toContain('│ line 29');
  expect(text).not.toContain('line 19\n');
});

test('a tool cannot draw on the terminal', () => {
  expect(printable('a\u001b[2Jb\u0007\r\nc')).toBe('ab\nc');
  expect(failureText(plainError('X', '\u001b[31mred\u0000'), undefined, false)).toContain('  red');
});

test('colours need a terminal, and bow to NO_COLOR', () => {
  expect(wantsColor({ isTTY: true }, {})).toBe(true);
  expect(wantsColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColor({}, {})).toBe(false);
});

describe('an error of a command', () => {
  test('of use is one line', () => {
    expect(errorText(new UsageError('x.yaml: there is\nno such file'), false)).toBe(
      'error: x.yaml: there is no such file',
    );
  });

  test('of the surroundings names its code and what to do', () => {
    expect(errorText(new EnvironmentError('NO_SERVER', 'Nobody there.', ['Start it.']), false)).toBe(
      'error: Nobody there. [NO_SERVER]\n  → Start it.',
    );
  });

  test('shows a stack trace only when asked', () => {
    expect(errorText(new Error('boom'), false)).toBe('error: boom (NOETL_DEBUG=1 shows where)');
    expect(errorText(new Error('boom'), false, true)).toContain('failure.test.ts');
  });
});
