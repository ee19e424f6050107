/** Commands of the shell. */
import { type JsonObject } from '../../src/language/plan';
import { type Proof } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { SECRET, envOf, inShell } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const sh = (cmds: string): JsonObject => ({ cmds });

const faults: readonly Cell[] = [
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

const said = (text: string): Proof => ({
  gives: { cmds: `printf '%s' '${text}'` },
  result: { stdout: text, returncode: 0 },
});

const clauses: KindTests['clauses'] = {
  fields: { cmds: 'true' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': {
      never: 'commands reach hosts themselves: their exit code is the outcome',
    },
    'wrong credentials': { never: 'it takes none: commands log in by themselves' },
    'a malformed response': { never: 'output is text, whatever it says' },
    bytes: { gives: { cmds: "printf 'a\\377'" }, result: { stdout: 'a\ufffd' } },
    NaN: said('NaN'),
    'a decimal': said('1.23456789012345678901'),
    'a date': said('2026-01-31'),
    'a 64-bit integer': said('9223372036854775807'),
  },
};

const canary: KindTests['canary'] = {
  carry: (secret, ending) => inShell('shell', ending, { env: envOf(secret) }),
  own: {
    input: (ending) =>
      inShell(
        'shell',
        ending,
        { input: { word: SECRET }, env: { GO: '{{ workload.go }}' } },
        'T="$NOETL_INPUT_WORD"; ',
      ),
  },
};

const examples: KindTests['examples'] = {
  shell: { result: { stdout: "hello O'Neil; echo no", returncode: 0 } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'the interpreters of the machine; scripts from S3 (moto) and GCS (an emulator)' },
};
