/** Documents about executions. */
import { z } from 'zod';
import { component, labelMapping } from '../http/schema';
import { trigger } from './triggers';

/** Upper case: the official GUI and CLI recognise COMPLETED, FAILED and CANCELLED, and treat others as running. */
export const STATUSES = [
  'RUNNING',
  'PAUSED',
  'CANCELLING',
  'FAILING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type ExecutionStatusWord = (typeof STATUSES)[number];

export const executionSummary = component('Execution', {
  execution_id: z.string(),
  workflow_id: z.string().describe('In Temporal'),
  catalog_id: z
    .string()
    .nullable()
    .describe('From the catalog entry that it runs, if it was started from one'),
  path: z.string(),
  run_name: z.string().nullable().describe('By `metadata.run_name` of the playbook'),
  labels: labelMapping,
  version: z
    .union([z.number(), z.string()])
    .nullable()
    .describe('From the catalog entry, otherwise `metadata.version`'),
  status: z.enum(STATUSES),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime().nullable(),
  duration_seconds: z.number(),
  duration_human: z.string(),
  progress: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe(
      'Percentage of its steps that have ended. In lists, null while it runs: only its history has it, which ' +
        '`/api/executions/{id}` reads',
    ),
  result: z.unknown(),
  error: z.string().nullable(),
  parent_execution_id: z.string().nullable(),
  rerun_of: z
    .object({ execution_id: z.string(), step_run_id: z.string(), bulk_id: z.string().optional() })
    .nullable()
    .describe('The execution and step run it repeats, and the bulk operation that started it'),
  schedule: z
    .object({
      name: z.string(),
      scheduled_at: z.string().nullable(),
      deadline_s: z.number().nullable().describe('Of the schedule, since `scheduled_at`'),
    })
    .nullable()
    .describe('The schedule that started it, and when it was due'),
  skipped: z
    .boolean()
    .describe(
      'It did not run, in favor of another with the same key (`concurrency: skip`); its status is COMPLETED',
    ),
  notification_id: z.string().nullable().describe('The notification that started it'),
  trigger,
});

export const causeList = z.array(
  component('ExecutionCause', {
    path: z.string(),
    status: z.enum(STATUSES),
    code: z.string().nullable().describe('Of the error; null unless they failed'),
    step: z.string().nullable().describe('Whose failure ended them'),
    count: z.int(),
    example: z
      .object({ execution_id: z.string(), message: z.string().nullable() })
      .describe('The latest of them'),
  }),
);

export const unservedList = z
  .array(
    component('UnservedQueue', {
      queue: z.string(),
      kind: z.string().describe('Of the tasks; `workflows` and `playbooks` for the engine'),
      pool: z.string().nullable(),
      waiting: z.int().describe('Tasks that wait in it, those of its sub-playbooks included'),
      since: z.iso.datetime(),
      last_seen: z.iso
        .datetime()
        .nullable()
        .describe('The last sign of life of a worker; null if there was none, as far as Temporal remembers'),
      fix: z.string().nullable().describe('A command that starts a worker'),
      task_run_ids: z.array(z.string()),
    }),
  )
  .describe('Queues that no worker serves, in which tasks wait');

export const servedSummary = component('ExecutionSummary', {
  ...executionSummary.shape,
  unserved: unservedList,
});

export const PROGRESS = ['waiting', 'running', 'done', 'failed'] as const;
export const executionGraph = component('ExecutionGraph', {
  execution_id: z.string(),
  name: z.string(),
  path: z.string(),
  entry: z.string(),
  nodes: z.array(
    z.looseObject({
      step: z.string().nullable(),
      kinds: z.array(z.string()),
      status: z.enum(PROGRESS),
      runs: z.number().describe('How often the step has started'),
    }),
  ),
  arcs: z.array(z.looseObject({ from: z.string(), to: z.string().nullable(), when: z.string().optional() })),
});

export const workflowTaskSchema = component('WorkflowTask', {
  workflow_task: z
    .object({
      code: z
        .string()
        .describe(
          '`WORKFLOW_TASK_` and `TOO_EXPENSIVE`, `DIVERGED`, `UNANSWERED` (its worker died, or was blocked) or `FAILED`',
        ),
      attempt: z.number().describe('The one that is under way, or waits for its turn'),
      message: z.string(),
      hint: z.string().describe('What to do'),
    })
    .nullable()
    .describe('Null if it does not fail, or the execution has ended'),
});

export const startedExecution = component('Started', {
  execution_id: z.string(),
  status: z.enum(['started', 'duplicate']),
  commands_generated: z.int(),
  catalog_id: z.string(),
  path: z.string(),
  version: z.int(),
  workflow_id: z.string(),
  warnings: z
    .array(z.string())
    .describe(
      'About inputs that the playbook does not read, a pool without workers, a trace that is not kept',
    ),
});

export const startedBatch = z.object({
  count: z.int(),
  started: z.int(),
  duplicates: z.int(),
  failed: z.int(),
  results: z.array(
    z.object({
      index: z.int(),
      status: z.enum(['started', 'duplicate', 'error']),
      execution_id: z.string().optional(),
      commands_generated: z.int(),
      error: z.string().optional(),
      code: z.string().optional(),
    }),
  ),
});

export const startedDraft = z.object({
  execution_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('started'),
  path: z.string(),
  warnings: z.array(z.string()).describe('About inputs that the playbook does not read'),
});

export const begunRerun = z.object({
  execution_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('started'),
  rerun_of: z.unknown(),
  changed_steps: z.array(z.string()),
});

export const whatIfResult = component('WhatIf', {
  execution_id: z.string(),
  verdict: z.string().describe('`same`, or what kind of difference it is'),
  status: z.string().describe('How it ends; `waiting`: it cannot be known'),
  result: z.unknown(),
  steps: z.array(z.string()).describe('In the order of their starts'),
  elapsed_ms: z.number().describe('Simulated'),
  timing: z.looseObject({ what: z.string() }).nullable().describe('The first decision at another time'),
  moved: z
    .array(z.looseObject({ call: z.string(), from: z.string() }))
    .describe('Calls answered by the same call elsewhere'),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  differences: z
    .array(z.looseObject({ cause: z.string(), what: z.string() }))
    .describe('Decisions that differ, the first one first'),
  unanswered: z
    .array(z.looseObject({ call: z.string(), kind: z.string(), reason: z.string() }))
    .describe('Calls that the recording cannot answer'),
});

/** Where a page of events is among all. */
export const eventPagination = z.object({
  page: z.number(),
  page_size: z.number(),
  total_events: z.number(),
  total_pages: z.number(),
  has_next: z.boolean(),
  has_prev: z.boolean(),
});
