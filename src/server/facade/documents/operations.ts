/** Documents for those who operate: what is wrong, how playbooks do, who did what. */
import { z } from 'zod';
import { component, mapping } from '../http/schema';

const time = z.iso.datetime();

export const actSchema = component('Act', {
  id: z.string(),
  at: time,
  principal: z.string().describe('Name of the token; `local` where none is required'),
  assistant: z.string().nullable().describe('Name and version of an assistant, as it says itself'),
  remote: z.string().nullable().describe('The address that the request came from'),
  request: z.string().describe('`POST /api/executions/{id}/cancel`, or the command of a command line'),
  about: z.array(z.string()).describe('Ids, paths and names'),
  code: z.string().nullable().describe('Of the error; null: it was done'),
});

const names = z.array(z.string()).nullable();
export const tokenSchema = component('Token', {
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  ...{ credentials: names, kinds: names, pools: names, paths: names },
  granted: z.boolean(),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable().describe('To the minute'),
  revoked_at: time.nullable(),
});

export const PROBLEM_KINDS = [
  'queue',
  'stuck',
  'failed',
  'late',
  'schedule',
  'trigger',
  'notification',
  'projection',
  'waiting',
] as const;

export const problemSchema = component('Problem', {
  kind: z.enum(PROBLEM_KINDS),
  wrong: z.boolean().describe('false: somebody is waited for, which is no fault'),
  count: z.int(),
  title: z.string(),
  detail: z.string().nullable(),
  since: time.nullable().describe('The latest of failures; otherwise the oldest'),
  link: z.string().describe('The page of the console that lists them'),
  command: z.string().nullable().describe('What shows more, or mends it'),
});

const seconds = z.number().nullable();

export const statisticsSchema = component('RunStatistics', {
  source: z.enum(['projection', 'temporal']).describe('Where the runs were read'),
  since: time.describe('Of the runs that were read: later than asked for where there were too many'),
  complete: z.boolean().describe('false: there were more runs than are read'),
  running: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  skipped: z.int(),
  success_rate: z.number().nullable().describe('Of those that completed or failed, from 0 to 1'),
  p50: seconds.describe('Seconds, of those that completed'),
  p95: seconds,
  longest: seconds,
});

export const overviewSchema = component('Overview', {
  ok: z.boolean().describe('Nothing is wrong, as far as is known'),
  at: time,
  problems: z.array(problemSchema).describe('Most urgent first'),
  unknown: z
    .array(z.object({ kind: z.enum(PROBLEM_KINDS), why: z.string() }))
    .describe('What could not be found out'),
  runs: statisticsSchema.describe('That no other execution called, and that started or ended since then'),
  buckets: z
    .array(
      z.object({
        ...{ at: time, completed: z.int(), failed: z.int(), cancelled: z.int(), skipped: z.int() },
        ...{ p50: seconds, p95: seconds },
      }),
    )
    .describe('By the time at which they ended'),
  starts: z
    .array(
      z.object({
        at: time,
        path: z.string(),
        execution_id: z.string().nullable().describe('null: it is due then'),
        status: z.string().nullable(),
        schedule: z.string().nullable(),
      }),
    )
    .describe('Past ones, the newest 500, and those that schedules have next'),
});

export const playbookOverview = component('PlaybookOverview', {
  path: z.string(),
  version: z.int(),
  description: z.string().nullable(),
  owner: z.string().nullable().describe('`metadata.owner`'),
  on: mapping.nullable().describe('`metadata.on`: whom its executions tell of what'),
  limits: mapping.describe(
    'Of `executor.spec`: concurrency, debounce, deadline, timeout, priority, fairness, rate_limit',
  ),
  runs: statisticsSchema.describe('Of the last 30 days, also those that others called'),
  steps: z
    .array(
      z.object({
        ...{ step: z.string(), runs: z.int(), failed: z.int() },
        ...{ p50: seconds, p95: seconds, longest: seconds },
      }),
    )
    .nullable()
    .describe(
      'In its last 100 executions, in the order of the playbook, also those that did not run; null without a projection',
    ),
  schedules: z.array(
    z.object({ name: z.string(), paused: z.boolean(), next: time.nullable(), last: time.nullable() }),
  ),
  subscriptions: z
    .array(
      z.object({
        path: z.string(),
        state: z.string(),
        starts: z.string().describe('The playbook that it starts'),
      }),
    )
    .describe('That start it, or watch its end'),
});

export const playbookActivity = component('PlaybookActivity', {
  path: z.string(),
  last: z.object({ execution_id: z.string(), status: z.string(), at: time }).nullable(),
  next: z.object({ schedule: z.string(), at: time }).nullable(),
});

const dataset = z.object({ namespace: z.string(), name: z.string() });

export const lineageSchema = component('LineageTask', {
  path: z.string(),
  version: z.int(),
  step: z.string(),
  task: z.string(),
  kind: z.string(),
  reads: z.array(dataset),
  writes: z.array(dataset),
});
