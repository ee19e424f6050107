/** Kinds that run programs. */
import { type Json } from '../../src/language/plan';
import { type Proof, type Row } from './clause';

const python = (expression: string, result: Json): Proof => ({
  gives: { code: `import datetime, decimal\nresult = {'v': ${expression}}` },
  result: { v: result },
});
/** What a program prints is text; `data` is that text as JSON. */
const printed = (text: string, data: Json): Proof => ({
  gives: { code: `printf '%s' '${text}'` },
  result: { stdout: text, data },
});
const said = (text: string): Proof => ({
  gives: { cmds: `printf '%s' '${text}'` },
  result: { stdout: text, returncode: 0 },
});
const AS_SCRIPT: Proof = {
  shown: 'what it prints is data as what a script prints, none of it rounded',
  in: 'activities/kinds/container/container.test.ts',
};

export const PROGRAMS: Readonly<Record<string, Row>> = {
  python: {
    fields: { code: 'result = 1' },
    proofs: {
      'an input that is missing': { refused: {}, code: 'NT2051' },
      'a host that cannot be reached': { fault: 'a script behind a refused connection' },
      'wrong credentials': {
        never: 'it takes none: code logs in by itself, and what it raises is its error',
      },
      'a malformed response': { fault: 'a result that is no data' },
      bytes: python("b'\\x00\\xff'", 'AP8='),
      NaN: python("[float('nan'), float('-inf')]", [null, null]),
      'a decimal': python(
        "[decimal.Decimal('0.5'), decimal.Decimal('1.23456789012345678901'), decimal.Decimal('NaN')]",
        [0.5, '1.23456789012345678901', null],
      ),
      'a date': python('[datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 8, 0, 0, 5)]', [
        '2026-01-31',
        '2026-01-31T08:00:00.000005',
      ]),
      'a 64-bit integer': python('[2**63 - 1, 2**53 - 1]', ['9223372036854775807', 9007199254740991]),
    },
  },
  shell: {
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
  },
  script: {
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
  },
  container: {
    fields: { image: 'x' },
    proofs: {
      'an input that is missing': { refused: {}, code: 'NT2051' },
      'a host that cannot be reached': {
        shown: 'one that is not there',
        in: 'activities/kinds/container/container.test.ts',
      },
      'wrong credentials': { shown: 'IMAGE_DENIED', in: 'activities/kinds/container/container.test.ts' },
      'a malformed response': {
        shown: 'one that does not come back is unreachable, and what is not JSON is told of',
        in: 'activities/kinds/container/kubernetes-ends.test.ts',
      },
      bytes: AS_SCRIPT,
      NaN: AS_SCRIPT,
      'a decimal': AS_SCRIPT,
      'a date': AS_SCRIPT,
      'a 64-bit integer': AS_SCRIPT,
    },
  },
};
