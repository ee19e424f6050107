/** Code: what it raises, how it ends, what it cannot get. */
import { type Json, type JsonObject } from '../../src/language/plan';
import { type Proof } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { SECRET, limit, type Ending, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const py = (code: string): JsonObject => ({ code });

const faults: readonly Cell[] = [
  ['an exception', py("raise ValueError('x')"), 'exception', 'PY_ValueError', false],
  ['an own exception', py('class Mine(Exception): pass\nraise Mine()'), 'exception', 'PY_Mine', false],
  ['a missing key', py("{}['a']"), 'exception', 'PY_KeyError', false],
  ['a division by zero', py('1/0'), 'exception', 'PY_ZeroDivisionError', false],
  ['an undefined name', py('result = nope'), 'exception', 'PY_NameError', false],
  ['a missing module', py('import no_such_module_at_all'), 'exception', 'PY_ModuleNotFoundError', false],
  ['a missing file', py("open('/no/such/file')"), 'exception', 'PY_FileNotFoundError', false],
  ['a recursion without end', py('def f(): f()\nf()'), 'exception', 'PY_RecursionError', false],
  ['an assertion', py('assert False'), 'exception', 'PY_AssertionError', false],
  ['a syntax error', py('def ('), 'validation', 'PY_SyntaxError', false],
  ['a result that is no data', py('result = object()'), 'validation', 'RESULT_NOT_JSON', false],
  ['sys.exit(3)', py('import sys; sys.exit(3)'), 'exception', 'PY_SystemExit', false],
  ['os._exit(7)', py('import os; os._exit(7)'), 'exception', 'PY_EXIT_7', false],
  ['killed', py('import os, signal; os.kill(os.getpid(), signal.SIGKILL)'), 'exception', 'PY_SIGKILL', false],
  [
    'a segmentation fault',
    py('import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'),
    'exception',
    'PY_SIGSEGV',
    false,
  ],
  [
    'out of memory',
    { code: "result = len('x' * 10**10)", memory_mb: 128 },
    'exception',
    'PY_MemoryError',
    false,
  ],
  ['too slow', { code: 'while True: pass', timeout: 0.5 }, 'timeout', 'TIMEOUT', true],
  [
    'a script that is missing',
    { script: { uri: '/no/such.py', source: { type: 'file' } } },
    'not_found',
    'SCRIPT_NOT_FOUND',
    false,
  ],
  [
    'a script of an unknown source',
    { script: { uri: 'x', source: { type: 'carrier pigeon' } } },
    'validation',
    'SCRIPT_SOURCE',
    false,
  ],
  [
    'a script behind a refused connection',
    { script: { uri: 'http://127.0.0.1:1/x.py', source: { type: 'http' } } },
    'connection',
    'CONNECTION_REFUSED',
    true,
  ],
];

const gives = (expression: string, result: Json): Proof => ({
  gives: { code: `import datetime, decimal\nresult = {'v': ${expression}}` },
  result: { v: result },
});

const clauses: KindTests['clauses'] = {
  fields: { code: 'result = 1' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'a script behind a refused connection' },
    'wrong credentials': {
      never: 'it takes none: code logs in by itself, and what it raises is its error',
    },
    'a malformed response': { fault: 'a result that is no data' },
    bytes: gives("b'\\x00\\xff'", 'AP8='),
    NaN: gives("[float('nan'), float('-inf')]", [null, null]),
    'a decimal': gives(
      "[decimal.Decimal('0.5'), decimal.Decimal('1.23456789012345678901'), decimal.Decimal('NaN')]",
      [0.5, '1.23456789012345678901', null],
    ),
    'a date': gives('[datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 8, 0, 0, 5)]', [
      '2026-01-31',
      '2026-01-31T08:00:00.000005',
    ]),
    'a 64-bit integer': gives('[2**63 - 1, 2**53 - 1]', ['9223372036854775807', 9007199254740991]),
  },
};

const PYTHON: Readonly<Record<Ending, string>> = {
  success: [
    'import base64, html, quopri, shlex, urllib.parse',
    's = str(t)',
    'q = urllib.parse.quote',
    'print(t, repr([s]), ascii(s), s.encode())',
    "written = [html.escape(s), quopri.encodestring(s.encode()).decode(), shlex.quote(s), q(q(s)), s.encode().hex(':')]",
    "written += [s.upper(), base64.encodebytes(s.encode()).decode(), '\\r\\n'.join('  ' + one for one in s.split('\\n'))]",
    "result = {'echo': t, 'b': base64.b64encode(repr(t).encode()).decode(), 'written': written}",
  ].join('\n'),
  failure: 'import sys\nprint(t, file=sys.stderr)\nraise KeyError(str(t) + repr([t]))',
  timeout: 'import time\nprint(t, flush=True)\ntime.sleep(120)',
  crash: "import os, time\nwhile not os.path.exists(go): time.sleep(0.1)\nresult = {'echo': t}",
  retry: "raise ValueError('no good: ' + str(t))",
};

const python = (secret: string, ending: Ending, code = PYTHON[ending]): Tool => ({
  kind: 'python',
  input: { t: secret, go: '{{ workload.go }}' },
  code,
  ...limit(ending),
});

const canary: KindTests['canary'] = {
  carry: (secret, ending) => python(secret, ending),
  own: {
    'input, its process dies': (ending) =>
      ending === 'failure'
        ? python(SECRET, ending, 'import os, sys\nsys.stderr.write(t)\nsys.stderr.flush()\nos._exit(7)')
        : undefined,
  },
};

const examples: KindTests['examples'] = {
  python: { result: { days: ['2026-01-01', '2026-01-31'], between: 30 } },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'the interpreters of the machine; scripts from S3 (moto) and GCS (an emulator)' },
};
