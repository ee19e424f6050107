/** Limits by key, priority and fairness: settings of the executor, and of every task. */
import { ON_CONFLICT } from '../../plan';
import { type Field, type Shape } from './shape';

const KEY: Field = {
  type: 'text',
  doc: 'A template over `workload`: executions with the same key share the limit; by default, all do.',
};
const SCOPE: Field = {
  type: 'name',
  doc: 'Playbooks with the same scope share their keys; default: the path of the playbook.',
};

const CONCURRENCY: Shape = {
  title: '`concurrency`',
  others: 'error',
  fields: {
    key: KEY,
    scope: SCOPE,
    limit: { type: 'count', doc: 'Executions with the same key that run at once.', required: true },
    on_conflict: {
      type: { values: ON_CONFLICT },
      doc: 'At the limit: `queue` (default) waits in order of arrival; `skip` ends at once, completed without running; `cancel_running` cancels the oldest; `fail` fails with `LIMIT_REACHED`.',
    },
  },
};

const DEBOUNCE: Shape = {
  title: '`debounce`',
  others: 'error',
  fields: {
    key: KEY,
    scope: SCOPE,
    period: {
      type: 'duration',
      doc: 'How long an execution waits for a newer one with the same key, which replaces it.',
      required: true,
    },
    max_wait: { type: 'duration', doc: 'The longest wait, measured from the first of them.' },
  },
};

const RATE_LIMIT: Shape = {
  title: '`rate_limit`',
  others: 'error',
  fields: {
    key: {
      type: 'text',
      doc: 'What has the quota, e.g. the name of an API: tasks of all playbooks with the same key share it.',
      required: true,
    },
    limit: { type: 'count', doc: 'Starts of tasks in a period.', required: true },
    per: { type: 'duration', doc: 'The period, e.g. `1s`, `1m`.', required: true },
    burst: { type: 'count', doc: 'How many may start at the same time; default: `limit`.' },
    kind: {
      type: { either: ['name', { list: 'name' }] },
      doc: 'Kinds of tools that it applies to, where several inherit it; default: all that run on workers.',
    },
  },
};

const FAIRNESS: Shape = {
  title: '`fairness`',
  others: 'error',
  fields: {
    key: {
      type: 'text',
      doc: 'Among waiting tasks of the same priority, keys take turns, e.g. a customer.',
      required: true,
    },
    weight: { type: 'amount', doc: 'The share of the key, from 0.001 to 1000; default 1.' },
  },
};

/** Of the executor only: they are passed before the first step. */
export const LIMITS_OF_EXECUTION: Readonly<Record<string, Field>> = {
  concurrency: {
    type: { shape: () => CONCURRENCY },
    doc: 'How many executions with the same key run at once (docs/limits.md).',
    example: 'concurrency: {key: "{{ workload.customer }}", limit: 1}',
  },
  debounce: {
    type: { shape: () => DEBOUNCE },
    doc: 'Of executions with the same key in quick succession, only the last one runs.',
    example: 'debounce: {key: "{{ workload.document }}", period: 30s}',
  },
};

/** Of every layer of `spec`. */
export const LIMITS_OF_TASKS: Readonly<Record<string, Field>> = {
  rate_limit: {
    type: { shape: () => RATE_LIMIT },
    doc: 'How often tasks with the same key start, over all executions (docs/limits.md).',
    example: 'rate_limit: {key: api.example.com, limit: 100, per: 1m}',
  },
  priority: { type: 'count', doc: 'From 1 (first) to 5 among tasks that wait for a worker; default 3.' },
  fairness: {
    type: { shape: () => FAIRNESS },
    doc: 'Shares workers between keys.',
    example: 'fairness: {key: "{{ workload.customer }}"}',
  },
};

/** Where only the executor may set them. */
export const NOT_OF_EXECUTION: Readonly<Record<string, Field>> = Object.fromEntries(
  Object.keys(LIMITS_OF_EXECUTION).map((key) => [
    key,
    {
      type: 'any',
      doc: `Not allowed: \`${key}\` belongs to the executor.`,
      rejected: {
        code: 'NT2097',
        message: `\`${key}\` limits whole executions`,
        hint: `move it to \`executor.spec.${key}\`; iterations of a loop are limited by \`loop.spec.max_in_flight\`, tasks by \`spec.rate_limit\``,
      },
    } satisfies Field,
  ]),
);
