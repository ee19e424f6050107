import { FAILURE, noControl } from './common';
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
      doc: 'Where the catalog keeps it, e.g. `examples/hello`; sub-playbooks are called by it.',
    },
    version: described('The version of the playbook.'),
    description: described('What the playbook is for.'),
    workload: {
      type: 'mapping',
      doc: 'What is to be known of keys of the workload, in words of JSON Schema: `{key: {type, required, enum, secret, description}}`. Submissions are checked against it; a secret key is stored encrypted.',
    },
  },
};

const KEYCHAIN_ENTRY: Shape = {
  title: 'a keychain entry',
  others: 'open',
  fields: {
    scope: {
      type: 'text',
      doc: '`execution` unless written; `global` shares a value between executions that declare the same.',
    },
    auto_renew: { type: 'boolean', doc: '`false` forbids to renew a token when its time is over.' },
    provider: { type: 'text', doc: 'Of `secret_manager`: `environment`, `file`, `google`, `aws`, `vault`.' },
    auth: { type: 'any', doc: 'The stored credential that opens it.' },
    map: { type: 'mapping', doc: 'The fields of the entry, and the secret or value of each.' },
    endpoint: { type: 'text', doc: 'Of `oauth2`: where tokens come from.' },
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
      doc: 'Branches (tokens) of the execution at once before it ends as a runaway.',
    },
    max_payload_bytes: { type: 'count', doc: 'Results above this size leave history as references.' },
    max_step_runs: { type: 'count', doc: 'Runs of one step before the execution ends as a runaway.' },
    max_task_visits: {
      type: 'count',
      doc: 'Visits of one task of a pipeline before its step fails as a runaway.',
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
      doc: 'Bounds of the execution.',
    },
    failure: {
      type: { shape: () => FAILURE },
      doc: 'What an unhandled failure does to the rest of the execution.',
    },
  },
};

const NAMES: Type = { either: [{ list: 'name' }, 'mapping'] };

/** What a playbook says of a kind that is none of this runtime (docs/extensions.md). */
export const EXTENSION: Shape = {
  title: 'an extension',
  others: 'warning',
  fields: {
    fields: { type: NAMES, doc: 'The fields it takes: a list, or a mapping from field to what it is.' },
    required: { type: NAMES, doc: 'The fields it needs.' },
    timeout: { type: 'duration', doc: 'Seconds one task may run; 300 unless written.' },
    heartbeat: {
      type: 'duration',
      doc: 'Seconds of silence after which its worker counts as lost, 10 unless written; 0: it sends no heartbeats.',
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
    exec: {
      type: { values: ['local', 'inline'] },
      doc: 'Where tasks run: `local`, together in one activity wherever they may, or `inline`, each in one of its own.',
    },
    extensions: {
      type: { either: [{ list: 'name' }, 'mapping'] },
      doc: 'Kinds of tools that workers of yours run: a list, or a mapping from kind to `{fields, required, timeout, heartbeat}`.',
    },
    policy: { type: { shape: () => EXECUTOR_POLICY }, doc: 'Defaults and limits of the execution.' },
  },
};

const EXECUTOR: Shape = {
  title: '`executor`',
  others: 'open',
  fields: {
    kind: described('The kind of executor; this runtime is the only one and reads it as a remark.'),
    spec: {
      type: {
        shape: () => SPEC_OF_EXECUTOR_SHAPE,
      },
      doc: 'Knobs that every task inherits, and the policy of the execution.',
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
    executor: { type: { shape: () => EXECUTOR }, doc: 'Knobs of the runtime.' },
    workload: { type: 'mapping', doc: 'Default inputs; the payload of the execution is laid over them.' },
    workflow: { type: { list: { shape: () => STEP } }, doc: 'The steps.', required: true },
    workbook: { type: { either: [{ list: 'mapping' }, 'mapping'] }, doc: 'Tasks that steps call by name.' },
    name: {
      type: 'name',
      doc: 'Old place of `metadata.name`.',
      deprecated: { code: 'NT5002', hint: 'write it as `metadata.name`' },
    },
    path: {
      type: 'name',
      doc: 'Old place of `metadata.path`.',
      deprecated: { code: 'NT5002', hint: 'write it as `metadata.path`' },
    },
    tracing: {
      type: 'any',
      doc: 'Read, and without effect: what is traced is a setting of the worker.',
      placeholder: true,
    },
    vars: {
      type: 'any',
      doc: 'Refused: variables of the execution are written by `set`.',
      rejected: {
        code: 'NT2012',
        message: 'a playbook has no root `vars`',
        hint: 'inputs belong to `workload`; variables of the execution are written with `set: {ctx.name: …}`',
      },
    },
  },
};
