import { into } from '../fixes/structure';
import { rootVars } from '../fixes/vars';
import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { FAILURE, noControl } from './common';
import { LIMITS_OF_EXECUTION, LIMITS_OF_TASKS } from './limits';
import { ON } from './notifications';
import { type SchemaField, type SchemaShape, shape, type Type, unlisted } from './shape';
import { STEP } from './step';
import { ROOT_WORDS } from './words';
import * as field from './fields';

const described = (doc: string): SchemaField => field.anyTextField(doc);

const METADATA: SchemaShape = shape('`metadata`', 'open', {
  name: field.name('The name of the playbook.'),
  path: field.name('Its path in the catalog, e.g. `examples/hello`, by which other playbooks call it.'),
  version: described('The version of the playbook.'),
  description: described('What the playbook is for.'),
  labels: field.anyMappingField(
    'Labels of its executions, by which they are found: `{team: sales}`. A start can add others.',
  ),
  run_name: described(
    'The name of each execution in lists, by its inputs: `"load {{ workload.customer }}"`; at most 200 characters, nothing secret.',
  ),
  on: field.nestedField(
    () => ON,
    'Whom to tell when an execution ends, is late, or waits for an event (docs/notifications.md).',
  ),
  workload: field.anyMappingField(
    'Declares keys of the workload with JSON Schema keywords: `{key: {type, required, enum, secret, description}}`. Submissions are checked against it; a secret key is stored encrypted.',
  ),
});

const KEYCHAIN_ENTRY: SchemaShape = shape('a keychain entry', 'open', {
  scope: field.anyTextField(
    '`execution` (default); `global` shares a value between executions that declare the same entry.',
  ),
  auto_renew: field.boolean('`false` disables the renewal of an expired token.'),
  provider: field.anyTextField('For `secret_manager`: `environment`, `file`, `google`, `aws`, `vault`.'),
  auth: field.any('The stored credential to authenticate with.'),
  map: field.anyMappingField('The fields of the entry, and the secret or value of each.'),
  endpoint: field.anyTextField('For `oauth2`: the token endpoint.'),
  name: field.required(field.name('The name by which templates reach it: `keychain.<name>`.')),
  kind: field.name('How it is resolved, e.g. `secret_manager`, `oauth2`, `bearer`, `static`.'),
});

const RESULTS_SHAPE: SchemaShape = shape('`results`', 'warning', {
  reference_first: field.boolean('Results above 1 KiB leave history as references.'),
  record: field.keyword(
    ['read', 'all'],
    '`read`, the default: history keeps details of results (headers, times) only where the playbook reads them; `all`: always.',
  ),
});

const LIMITS_SHAPE: SchemaShape = shape('`limits`', 'warning', {
  max_live_tokens: field.count(
    'Maximum concurrent branches (tokens) of the execution; above that, it fails as a runaway.',
  ),
  max_payload_bytes: field.count('Results above this size leave history as references.'),
  max_step_runs: field.count('Maximum runs of one step; above that, the execution fails as a runaway.'),
  max_task_visits: field.count(
    'Maximum visits of one task of a pipeline; above that, its step fails as a runaway.',
  ),
});

const EXECUTOR_POLICY: SchemaShape = shape('the policy of the executor', 'open', {
  rules: noControl,
  defaults: field.anyMappingField(
    'Default `timeouts` (seconds, by kind, or connect/read/total) and `resources`.',
  ),
  results: field.nestedField(() => RESULTS_SHAPE, 'How results are kept.'),
  limits: field.nestedField(() => LIMITS_SHAPE, 'Limits of the execution.'),
  failure: field.nestedField(() => FAILURE, 'What an unhandled failure does to the rest of the execution.'),
});

const NAMES: Type = { either: [{ list: 'name' }, 'mapping'] };

/** The playbook's declaration of a kind that is not built in (docs/extensions.md). */
export const EXTENSION: SchemaShape = shape('an extension', 'warning', {
  fields: field.of(NAMES, 'The fields it accepts: a list, or a mapping from field to description.'),
  required: field.of(NAMES, 'The required fields.'),
  timeout: field.limitField('Seconds a task may run; default 300.'),
  heartbeat: field.durationField(
    'Seconds of silence after which its worker counts as lost; default 10; with 0, it sends no heartbeats.',
  ),
});

const SPEC_OF_EXECUTOR_SHAPE: SchemaShape = shape('the spec of the executor', 'open', {
  entry_step: field.name('The step that runs first, instead of `start`.'),
  pool: field.name('The worker pool of all tasks, unless they name another; `default` is no pool.'),
  timeout: field.either(['limit', 'mapping'], 'Timeout of every task, in seconds.'),
  deadline: field.durationField(
    'How long an execution may take, e.g. `2h`: after that it is reported as late, but continues.',
  ),
  exec: field.keyword(
    ['local', 'inline'],
    'Where tasks run: `local`, together in one activity if they support it, or `inline`, each in its own.',
  ),
  cache: CACHE,
  sandbox: SANDBOX,
  extensions: field.either(
    [{ list: 'name' }, 'mapping'],
    'Tool kinds that your own workers run: a list, or a mapping from kind to `{fields, required, timeout, heartbeat}`.',
  ),
  final_step: field.any('Accepted without effect.', {
    placeholder: 'an execution ends when no branch is left: lead each branch to that step with an arc',
  }),
  no_next_is_error: field.any('Accepted without effect.', {
    placeholder: 'a branch of which no arc matches ends, with the note NO_ARC_MATCHED',
  }),
  ...LIMITS_OF_EXECUTION,
  ...LIMITS_OF_TASKS,
  policy: field.nestedField(() => EXECUTOR_POLICY, 'Defaults and limits of the execution.'),
});

const EXECUTOR: SchemaShape = shape('`executor`', 'open', {
  kind: described('The kind of executor; ignored, because this runtime is the only one.'),
  spec: field.nestedField(
    () => SPEC_OF_EXECUTOR_SHAPE,
    'Settings that every task inherits, and the policy of the execution.',
  ),
});

const INTO_METADATA = into('metadata', ['name', 'path']);

/** The document itself. */
export const PLAYBOOK: SchemaShape = shape('a playbook', unlisted('error', ROOT_WORDS), {
  apiVersion: field.required(field.anyTextField('The version of the language, `noetl.io/v2`.')),
  kind: field.required(
    field.anyTextField(
      'The kind of document: `Playbook`, or `Agent`, a playbook that is listed among agents.',
    ),
  ),
  metadata: field.nestedField(() => METADATA, 'Name, path and description.'),
  keychain: field.listField({ shape: () => KEYCHAIN_ENTRY }, 'The credentials that the playbook needs.'),
  executor: field.nestedField(() => EXECUTOR, 'Settings of the runtime.'),
  workload: field.anyMappingField('Default inputs; the payload of the execution is merged over them.'),
  workflow: field.required(field.listField({ shape: () => STEP }, 'The steps.')),
  workbook: field.either([{ list: 'mapping' }, 'mapping'], 'Tasks that steps call by name.'),
  name: field.name('Former place of `metadata.name`.', {
    deprecated: { code: 'NT5002', hint: 'write it as `metadata.name`', fix: INTO_METADATA },
  }),
  path: field.name('Former place of `metadata.path`.', {
    deprecated: { code: 'NT5002', hint: 'write it as `metadata.path`', fix: INTO_METADATA },
  }),
  tracing: field.any('Accepted without effect.', { placeholder: 'tracing is a setting of the worker' }),
  vars: field.rejected(
    'Not allowed: variables of the execution are written by `set`.',
    'NT2012',
    'a playbook has no root `vars`',
    'inputs belong to `workload`; variables of the execution are written with `set: {ctx.name: …}`',
    rootVars,
  ),
});
