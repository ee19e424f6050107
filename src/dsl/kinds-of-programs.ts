/** Kinds that run programs: of the worker's machine, or in containers. */
import { AUTH, type ToolKind } from './tool-kind';

const FILES_FIELD =
  'References to have as files, `{name: reference}`, in the folder `$NOETL_FILES` while it runs.';

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

export const PROGRAM_KINDS: Readonly<Record<string, ToolKind>> = {
  shell: {
    doc: 'Commands of the shell; the first that fails ends the task.',
    closed: true,
    fields: {
      cmds: 'The commands, a list or a text.',
      cmd: 'The same as `cmds`.',
      command: 'The same as `cmds`.',
      commands: 'The same as `cmds`.',
      shell: 'The shell, `/bin/sh` unless written.',
      files: FILES_FIELD,
      env: 'Environment variables.',
      cwd: 'The working directory.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
      capture: 'Whether the output is kept.',
    },
    required: [['cmds', 'cmd', 'command', 'commands']],
    exclusive: [
      ['cmds', 'cmd', 'command', 'commands'],
      ['timeout', 'timeout_seconds'],
    ],
    command: ['cmds', 'cmd', 'command', 'commands'],
    strict: [],
  },
  container: {
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
  },
  script: {
    doc: 'Runs a script file, on the machine of the worker or in a container.',
    closed: true,
    fields: {
      script: 'The file, or where to load the script from: `{uri, source: {type}}`.',
      code: 'The script itself.',
      interpreter: 'The program that runs it; by its first line or ending unless written.',
      args: 'Its arguments, a list.',
      files: FILES_FIELD,
      container: 'The image it runs in, or the fields of a container.',
      env: 'Environment variables.',
      cwd: 'The working directory.',
      job: 'The Job of Kubernetes that it runs in: the fields of a container.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    command: ['args'],
    required: [['script', 'code']],
    exclusive: [
      ['script', 'code'],
      ['container', 'job'],
      ['files', 'job'],
      ['timeout', 'timeout_seconds'],
    ],
  },
};
