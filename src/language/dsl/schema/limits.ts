/** Limits by key, priority and fairness: settings of the executor, and of every task. */
import { ON_CONFLICT } from '../../plan';
import { type SchemaField, type SchemaShape, shape } from './shape';
import * as field from './fields';

const KEY: SchemaField = field.anyTextField(
  'A template over `workload`: executions with the same key share the limit; by default, all do.',
);
const SCOPE: SchemaField = field.name(
  'Playbooks with the same scope share their keys; default: the path of the playbook.',
);

const CONCURRENCY: SchemaShape = shape('`concurrency`', 'error', {
  key: KEY,
  scope: SCOPE,
  limit: field.required(field.count('Executions with the same key that run at once.')),
  on_conflict: field.keyword(
    ON_CONFLICT,
    'At the limit: `queue` (default) waits in order of arrival; `skip` ends at once, completed without running; `cancel_running` cancels the oldest; `fail` fails with `LIMIT_REACHED`.',
  ),
});

const DEBOUNCE: SchemaShape = shape('`debounce`', 'error', {
  key: KEY,
  scope: SCOPE,
  period: field.required(
    field.durationField('How long an execution waits for a newer one with the same key, which replaces it.'),
  ),
  max_wait: field.durationField('The longest wait, measured from the first of them.'),
});

const RATE_LIMIT: SchemaShape = shape('`rate_limit`', 'error', {
  key: field.required(
    field.anyTextField(
      'What has the quota, e.g. the name of an API: tasks of all playbooks with the same key share it.',
    ),
  ),
  limit: field.required(field.count('Starts of tasks in a period.')),
  per: field.required(field.durationField('The period, e.g. `1s`, `1m`.')),
  burst: field.count('How many may start at the same time; default: `limit`.'),
  kind: field.either(
    ['name', { list: 'name' }],
    'Kinds of tools that it applies to, where several inherit it; default: all that run on workers.',
  ),
});

const FAIRNESS: SchemaShape = shape('`fairness`', 'error', {
  key: field.required(
    field.anyTextField('Among waiting tasks of the same priority, keys take turns, e.g. a customer.'),
  ),
  weight: field.amount('The share of the key, from 0.001 to 1000; default 1.'),
});

/** Of the executor only: they are passed before the first step. */
export const LIMITS_OF_EXECUTION: Readonly<Record<string, SchemaField>> = {
  concurrency: field.nestedField(
    () => CONCURRENCY,
    'How many executions with the same key run at once (docs/limits.md).',
    { example: 'concurrency: {key: "{{ workload.customer }}", limit: 1}' },
  ),
  debounce: field.nestedField(
    () => DEBOUNCE,
    'Of executions with the same key in quick succession, only the last one runs.',
    { example: 'debounce: {key: "{{ workload.document }}", period: 30s}' },
  ),
};

/** Of every layer of `spec`. */
export const LIMITS_OF_TASKS: Readonly<Record<string, SchemaField>> = {
  rate_limit: field.nestedField(
    () => RATE_LIMIT,
    'How often tasks with the same key start, across all executions (docs/limits.md).',
    { example: 'rate_limit: {key: api.example.com, limit: 100, per: 1m}' },
  ),
  priority: field.count('From 1 (first) to 5 among tasks that wait for a worker; default 3.'),
  fairness: field.nestedField(() => FAIRNESS, 'Shares workers between keys.', {
    example: 'fairness: {key: "{{ workload.customer }}"}',
  }),
};

/** Where only the executor may set them. */
export const NOT_OF_EXECUTION: Readonly<Record<string, SchemaField>> = Object.fromEntries(
  Object.keys(LIMITS_OF_EXECUTION).map((key) => [
    key,
    field.rejected(
      `Not allowed: \`${key}\` belongs to the executor.`,
      'NT2097',
      `\`${key}\` limits whole executions`,
      `move it to \`executor.spec.${key}\`; iterations of a loop are limited by \`loop.spec.max_in_flight\`, tasks by \`spec.rate_limit\``,
    ) satisfies SchemaField,
  ]),
);
