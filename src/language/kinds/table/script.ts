/** Script files, on the machine of the worker or in a container. */
import { type KindDeclaration } from '../declaration';
import { FILES, TIMEOUT } from '../fields';

export const scriptKind: KindDeclaration = {
  doc: 'Runs a script file, on the machine of the worker or in a container.',
  closed: true,
  sandbox: {},
  fields: {
    script: 'The file, or where to load the script from: `{uri, source: {type}}`.',
    code: 'The script itself.',
    interpreter: 'The program that runs it; default from its first line or extension.',
    args: 'Its arguments, a list.',
    files: FILES,
    container: 'The image it runs in, or the fields of a container.',
    env: 'Environment variables.',
    cwd: 'The working directory.',
    job: 'The Kubernetes Job it runs in: the fields of a container.',
    ...TIMEOUT,
  },
  command: ['args'],
  shell: { code: 'each' },
  required: [['script', 'code']],
  exclusive: [
    ['script', 'code'],
    ['container', 'job'],
    ['files', 'job'],
    ['timeout', 'timeout_seconds'],
  ],
  types: { args: { either: ['template', { list: 'any' }] } },
  timeout: 600,
  processes: true,
  delivery: { killed: 'at least once; once if the code uses the key' },
};
