/** Script files. */
import { type Json } from '../../src/language/plan';
import { type Proof } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { SECRET, envOf, inShell } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const faults: readonly Cell[] = [
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

/** What a program prints is text; `data` is that text as JSON. */
const printed = (text: string, data: Json): Proof => ({
  gives: { code: `printf '%s' '${text}'` },
  result: { stdout: text, data },
});

const clauses: KindTests['clauses'] = {
  fields: { code: 'true' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': {
      fails: { script: { uri: 'http://127.0.0.1:1/x.sh', source: { type: 'http' } } },
      as: { kind: 'connection', code: 'CONNECTION_REFUSED', retryable: true },
    },
    'wrong credentials': {
      fails: (on) => ({ script: { uri: `${on.origin}/status/401`, source: { type: 'http' } } }),
      as: { kind: 'auth', code: 'HTTP_401', retryable: false },
    },
    'a malformed response': printed('{"v": ', null),
    bytes: { gives: { code: "printf 'a\\377'" }, result: { stdout: 'a\ufffd', data: null } },
    NaN: printed('{"v": NaN}', null),
    'a decimal': printed('{"v": 0.5}', { v: 0.5 }),
    'a date': printed('{"v": "2026-01-31"}', { v: '2026-01-31' }),
    'a 64-bit integer': printed('{"v": 9223372036854775807}', { v: '9223372036854775807' }),
  },
};

const canary: KindTests['canary'] = {
  carry: (secret, ending) => inShell('script', ending, { env: envOf(secret) }),
  own: {
    argument: (ending) =>
      inShell('script', ending, { args: [SECRET], env: { GO: '{{ workload.go }}' } }, 'T="$1"; '),
  },
};

const examples: KindTests['examples'] = {
  script: { result: { data: { sum: 5 }, returncode: 0 } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'the interpreters of the machine; scripts from S3 (moto) and GCS (an emulator)' },
};
