import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { FAILURE, noControl } from './common';
import { LIMITS_OF_EXECUTION, LIMITS_OF_TASKS } from './limits';
import { ON } from './notifications';
import { type Field, type Shape, type Type } from './shape';
import { STEP } from './step';
import { ROOT_WORDS } from './words';

const described = (doc: string): Field => ({ type: 'text', doc });

const METADATA: Shape = {
  title: '`metadata`',
  others: 'open',
  fields: {
    name: { type: 'name', doc: 'The name of the playbook.' },
    path: {
      type: 'name',
      doc: 'Its path in the catalog, e.g. `examples/hello`, by which other playbooks call it.',
    },
    version: described('The version of the playbook.'),
    description: described('What the playbook is for.'),
    on: {
      type: { shape: () => ON },
      doc: 'Whom to tell when an execution ends, is late, or waits for an event (docs/notifications.md).',
    },
    workload: {
      type: 'mapping',
      doc: 'Declares keys of the workload with JSON Schema keywords: `{key: {type, required, enum, secret, description}}`. Submissions are checked against it; a secret key is stored encrypted.',
    },
  },
};

const KEYCHAIN_ENTRY: Shape = {
  title: 'a keychain entry',
  others: 'open',
  fields: {
    scope: {
      type: 'text',
      doc: '`execution` (default); `global` shares a value between executions that declare the same entry.',
    },
    auto_renew: { type: 'boolean', doc: '`false` disables the renewal of an expired token.' },
    provider: { type: 'text', doc: 'For `secret_manager`: `environment`, `file`, `google`, `aws`, `vault`.' },
    auth: { type: 'any', doc: 'The stored credential to authenticate with.' },
    map: { type: 'mapping', doc: 'The fields of the entry, and the secret or value of each.' },
    endpoint: { type: 'text', doc: 'For `oauth2`: the token endpoint.' },
    name: { type: 'name', doc: 'The name by which templates reach it: `keychain.<name>`.', required: true },
    kind: { type: 'name', doc: 'How it is resolved, e.g. `secret_manager`, `oauth2`, `bearer`, `static`.' },
  },
};

const RESULTS_SHAPE: Shape = {
  title: '`results`',
  others: 'warning',
  fields: {
    reference_first: { type: 'boolean', doc: 'Results above 1 KiB leave history as references.' },
    record: {
      type: { values: ['read', 'all'] },
      doc: '`read`, the default: history keeps details of results (headers, times) only where the playbook reads them; `all`: always.',
    },
  },
};

const LIMITS_SHAPE: Shape = {
  title: '`limits`',
  others: 'warning',
  fields: {
    max_live_tokens: {
      type: 'count',
      doc: 'Maximum concurrent branches (tokens) of the execution; above that, it fails as a runaway.',
    },
    max_payload_bytes: { type: 'count', doc: 'Results above this size leave history as references.' },
    max_step_runs: {
      type: 'count',
      doc: 'Maximum runs of one step; above that, the execution fails as a runaway.',
    },
    max_task_visits: {
      type: 'count',
      doc: 'Maximum visits of one task of a pipeline; above that, its step fails as a runaway.',
    },
  },
};

const EXECUTOR_POLICY: Shape = {
  title: 'the policy of the executor',
  others: 'open',
  fields: {
    rules: noControl,
    defaults: {
      type: 'mapping',
      doc: 'Default `timeouts` (seconds, by kind, or connect/read/total) and `resources`.',
    },
    results: {
      type: {
        shape: () => RESULTS_SHAPE,
      },
      doc: 'How results are kept.',
    },
    limits: {
      type: {
        shape: () => LIMITS_SHAPE,
      },
      doc: 'Limits of the execution.',
    },
    failure: {
      type: { shape: () => FAILURE },
      doc: 'What an unhandled failure does to the rest of the execution.',
    },
  },
};

const NAMES: Type = { either: [{ list: 'name' }, 'mapping'] };

/** The playbook's declaration of a kind that is not built in (docs/extensions.md). */
export const EXTENSION: Shape = {
  title: 'an extension',
  others: 'warning',
  fields: {
    fields: { type: NAMES, doc: 'The fields it accepts: a list, or a mapping from field to description.' },
    required: { type: NAMES, doc: 'The required fields.' },
    timeout: { type: 'duration', doc: 'Seconds a task may run; default 300.' },
    heartbeat: {
      type: 'duration',
      doc: 'Seconds of silence after which its worker counts as lost; default 10; with 0, it sends no heartbeats.',
    },
  },
};

const SPEC_OF_EXECUTOR_SHAPE: Shape = {
  title: 'the spec of the executor',
  others: 'open',
  fields: {
    entry_step: { type: 'name', doc: 'The step that runs first, instead of `start`.' },
    pool: {
      type: 'name',
      doc: 'The worker pool of all tasks, unless they name another; `default` is no pool.',
    },
    timeout: { type: { either: ['duration', 'mapping'] }, doc: 'Timeout of every task, in seconds.' },
    deadline: {
      type: 'duration',
      doc: 'How long an execution may take, e.g. `2h`: after that it is reported as late, and goes on.',
    },
    exec: {
      type: { values: ['local', 'inline'] },
      doc: 'Where tasks run: `local`, together in one activity if they support it, or `inline`, each in its own.',
    },
    cache: CACHE,
    sandbox: SANDBOX,
    extensions: {
      type: { either: [{ list: 'name' }, 'mapping'] },
      doc: 'Tool kinds that your own workers run: a list, or a mapping from kind to `{fields, required, timeout, heartbeat}`.',
    },
    ...LIMITS_OF_EXECUTION,
    ...LIMITS_OF_TASKS,
    policy: { type: { shape: () => EXECUTOR_POLICY }, doc: 'Defaults and limits of the execution.' },
  },
};

const EXECUTOR: Shape = {
  title: '`executor`',
  others: 'open',
  fields: {
    kind: described('The kind of executor; ignored, because this runtime is the only one.'),
    spec: {
      type: {
        shape: () => SPEC_OF_EXECUTOR_SHAPE,
      },
      doc: 'Settings that every task inherits, and the policy of the execution.',
    },
  },
};

/** The document itself. */
export const PLAYBOOK: Shape = {
  title: 'a playbook',
  others: 'error',
  words: ROOT_WORDS,
  fields: {
    apiVersion: { type: 'text', doc: 'The version of the language, `noetl.io/v2`.', required: true },
    kind: { type: 'text', doc: 'The kind of document, `Playbook`.', required: true },
    metadata: { type: { shape: () => METADATA }, doc: 'Name, path and description.' },
    keychain: {
      type: { list: { shape: () => KEYCHAIN_ENTRY } },
      doc: 'The credentials that the playbook needs.',
    },
    executor: { type: { shape: () => EXECUTOR }, doc: 'Settings of the runtime.' },
    workload: { type: 'mapping', doc: 'Default inputs; the payload of the execution is merged over them.' },
    workflow: { type: { list: { shape: () => STEP } }, doc: 'The steps.', required: true },
    workbook: { type: { either: [{ list: 'mapping' }, 'mapping'] }, doc: 'Tasks that steps call by name.' },
    name: {
      type: 'name',
      doc: 'Former place of `metadata.name`.',
      deprecated: { code: 'NT5002', hint: 'write it as `metadata.name`' },
    },
    path: {
      type: 'name',
      doc: 'Former place of `metadata.path`.',
      deprecated: { code: 'NT5002', hint: 'write it as `metadata.path`' },
    },
    tracing: {
      type: 'any',
      doc: 'Accepted without effect: tracing is a setting of the worker.',
      placeholder: true,
    },
    vars: {
      type: 'any',
      doc: 'Not allowed: variables of the execution are written by `set`.',
      rejected: {
        code: 'NT2012',
        message: 'a playbook has no root `vars`',
        hint: 'inputs belong to `workload`; variables of the execution are written with `set: {ctx.name: …}`',
      },
    },
  },
};
