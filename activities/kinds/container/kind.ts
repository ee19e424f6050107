/** Programs in containers of Docker or Kubernetes. */
import { type FieldType, type KindDeclaration } from '../../../src/kinds/declaration';
import { AUTH } from '../../../src/kinds/fields';

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
          cpus: { type: 'amount', doc: 'Processors, also parts of one.' },
          memory_mb: { type: 'amount', doc: 'Megabytes of memory.' },
          pids: { type: 'amount', doc: 'Processes.' },
        },
      }),
    },
  ],
};

/** Of `container`, with `runtime: kubernetes`. */
const KUBERNETES = {
  namespace: 'Of Kubernetes: where the Job stands; that of the credential unless written.',
  service_account: 'Of Kubernetes: whose rights it has in the cluster; nobody’s unless written.',
  resources: 'Of Kubernetes: `{requests, limits}`, besides `limits`.',
  volumes: 'Of Kubernetes: `{mount_path, <source>: …, name?, sub_path?, read_only?}`, a list.',
  node_selector: 'Of Kubernetes: labels of the nodes that may run it.',
  tolerations: 'Of Kubernetes: taints of nodes that it tolerates, a list.',
  image_pull_secrets: 'Of Kubernetes: names of secrets for the registry.',
  backoff_limit: 'Of Kubernetes: how often the cluster begins again, 0 unless written.',
  restart_policy: 'Of Kubernetes: `Never` unless written, or `OnFailure`.',
  active_deadline_seconds:
    'Of Kubernetes: how long the cluster lets it run; beyond `timeout` unless written.',
  ttl_seconds: 'Of Kubernetes: how long a Job that ended stays when nobody removes it, a day unless written.',
  cleanup: 'Of Kubernetes: `false` leaves a Job that has ended by itself.',
};

export const container: KindDeclaration = {
  doc: 'Runs a program in a container, until it ends.',
  closed: true,
  fields: {
    image: 'The image.',
    command: 'Instead of the entrypoint of the image: a list, or a text for its `/bin/sh`.',
    args: 'The arguments, a list.',
    env: 'Environment variables.',
    files:
      'References to have as files in a container of Docker, `{name: reference}`, in the folder `$NOETL_FILES`.',
    mounts: 'What it sees of the machine: `/source:/target[:ro]`, or `{type, source, target, read_only}`.',
    limits: 'The most it may use: `{cpus, memory_mb, pids}`.',
    workdir: 'The working directory.',
    cwd: 'The same as `workdir`.',
    user: 'The user, `uid[:gid]` or a name.',
    network: 'The network, e.g. `none`; that of the engine unless written.',
    pull: 'When the image is pulled: `missing` (unless written), `always`, `never`.',
    runtime: '`docker` unless written (or what the worker says), or `kubernetes`: the fields as a Job.',
    ...KUBERNETES,
    ...AUTH,
    timeout: 'Seconds for the whole.',
    timeout_seconds: 'The same as `timeout`.',
  },
  command: ['command', 'args'],
  // `runtime: {provider, image, …}` holds the image, as playbooks for Kubernetes write it.
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
};
