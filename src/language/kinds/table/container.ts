/** Programs in containers of Docker or Kubernetes. */
import { type FieldType, type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';
import { KUBERNETES } from '../kubernetes';

const LIST: FieldType = { either: ['template', { list: 'any' }] };

const LIMITS: FieldType = {
  either: [
    'template',
    {
      shape: () => ({
        title: 'limits of a container',
        others: 'error',
        words: { memory: 'memory_mb', cpu: 'cpus' },
        fields: {
          cpus: { type: 'amount', doc: 'Processors, also fractions of one.' },
          memory_mb: { type: 'amount', doc: 'Megabytes of memory.' },
          pids: { type: 'amount', doc: 'Processes.' },
        },
      }),
    },
  ],
};

export const containerKind: KindDeclaration = {
  doc: 'Runs a program in a Docker container, or as a Kubernetes Job, until it ends.',
  closed: true,
  sandbox: { onlyIfAsked: true },
  fields: {
    image: 'The image.',
    command: 'Replaces the entrypoint of the image: a list, or a text for its `/bin/sh`.',
    args: 'The arguments, a list.',
    env: 'Environment variables.',
    files:
      'References provided as files in a Docker container, `{name: reference}`, in the folder `$NOETL_FILES`.',
    mounts: 'Mounted folders and volumes: `/source:/target[:ro]`, or `{type, source, target, read_only}`.',
    limits: 'Resource limits: `{cpus, memory_mb, pids}`.',
    workdir: 'The working directory.',
    cwd: 'Alias of `workdir`.',
    user: 'The user, `uid[:gid]` or a name.',
    network: 'The network, e.g. `none`; default that of the engine.',
    pull: 'When the image is pulled: `missing` (default), `always`, `never`.',
    runtime: '`docker` (default, unless the worker sets another), or `kubernetes`, which runs it as a Job.',
    ...KUBERNETES,
    ...AUTH,
    ...TIMEOUT,
  },
  command: ['command', 'args'],
  shell: { command: 'flag' },
  // `runtime: {provider, image, …}` contains the image, as in playbooks for Kubernetes.
  required: [['image', 'runtime']],
  exclusive: [
    ['workdir', 'cwd'],
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
  ],
  strict: ['image', 'auth', 'credential'],
  types: {
    pull: { words: ['missing', 'always', 'never'] },
    args: LIST,
    mounts: LIST,
    limits: LIMITS,
  },
  packages: ['dockerode', 'tar-stream', '@kubernetes/client-node'],
  timeout: 600,
  delivery: {
    killed:
      'once, if the container or Job is still there: the next execution takes it over; else at least once',
  },
};
