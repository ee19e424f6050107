/** Python code, in interpreters of the worker. */
import { type KindDeclaration } from '../declaration';
import { AUTH } from '../fields';

export const pythonKind: KindDeclaration = {
  doc: 'Python code; inputs are its variables, `result` is its result.',
  closed: true,
  sandbox: {},
  inputs: 'code',
  fields: {
    code: 'The code.',
    script: 'Where to load the code from: `{uri, source: {type}}`.',
    libs: 'Modules to import: `{alias: module}`, or a list; `requirements` names packages to install for it.',
    files:
      'References provided as files while the code runs, `{name: reference}`; their paths are in `files`.',
    memory_mb: 'Memory limit of the code, in MB.',
    ...AUTH,
    timeout: 'Seconds the code may run.',
    timeout_seconds: 'Alias of `timeout`.',
    env: 'Environment variables.',
    cwd: 'The working directory.',
  },
  required: [['code', 'script']],
  exclusive: [
    ['code', 'script'],
    ['timeout', 'timeout_seconds'],
  ],
  strict: ['auth', 'credential'],
  code: ['code'],
  modules: 'libs',
  readsContext: true,
  failures: [{ exception_type: 'RuntimeError', message: 'simulated' }],
  hints: [
    [
      /^PY_(ModuleNotFoundError|ImportError)$/,
      '`libs: { requirements: [MODULE] }` of the task installs it; or install it for the python3 that the worker runs (`noetl-temporal doctor` shows which).',
    ],
    [/^PY_NameError$/, 'what the code reads must be in the `input` of the task.'],
  ],
  timeout: 300,
  processes: true,
  delivery: { killed: 'at least once; once if the code uses the key' },
};
