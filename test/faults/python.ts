/** Code: what it raises, how it ends, what it cannot get. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell } from './cell';

const py = (code: string): JsonObject => ({ code });

export const python: readonly Cell[] = [
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
