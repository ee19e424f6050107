/** Programs: commands of the shell, scripts. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell } from './cell';

const sh = (cmds: string): JsonObject => ({ cmds });

export const shell: readonly Cell[] = [
  ['exit code 1', sh('false'), 'exception', 'EXIT_1', false],
  ['exit code 3', sh('exit 3'), 'exception', 'EXIT_3', false],
  ['a command that is missing', sh('no_such_command_at_all'), 'exception', 'EXIT_127', false],
  ['a file that is not executable', (on) => sh(on.file('plain')), 'exception', 'EXIT_126', false],
  ['killed', sh('kill -9 $$'), 'exception', 'EXIT_137', false],
  ['terminated', sh('kill -15 $$'), 'exception', 'EXIT_143', false],
  ['a syntax error', sh('if then'), 'exception', 'EXIT_2', false],
  ['the second of two', { cmds: ['true', 'exit 4'] }, 'exception', 'EXIT_4', false],
  ['too slow', { cmds: 'sleep 9', timeout: 0.3 }, 'timeout', 'TIMEOUT', true],
];

export const script: readonly Cell[] = [
  ['a missing file', { script: '/no/such.sh' }, 'not_found', 'SCRIPT_NOT_FOUND', false],
  ['exit code 5', { code: 'exit 5' }, 'exception', 'EXIT_5', false],
  ['too slow', { code: 'sleep 9', timeout: 0.3 }, 'timeout', 'TIMEOUT', true],
  [
    'a script behind a 404',
    (on) => ({ script: { uri: `${on.origin}/status/404`, source: { type: 'http' } } }),
    'not_found',
    'HTTP_404',
    false,
  ],
  [
    'a script behind a 500',
    (on) => ({ script: { uri: `${on.origin}/status/500`, source: { type: 'http' } } }),
    'server_error',
    'HTTP_500',
    true,
  ],
];
