/** `GET /api/executions/{id}/progress`: the full progress of an execution; the document of the CLI's `status`. */
import { z } from 'zod';
import { okAnswer, component, mapping } from '../declare';
import { locatedExecution } from '../../executions/ids';
import { unservedList } from '../../documents/executions';
import { viewRoute } from '../view-route';

const error = component('ExecutionFailure', {
  code: z.string(),
  kind: z.string().optional(),
  message: z.string(),
  step: z.string().nullable(),
  task: z.string().nullable(),
  iteration: z.number().nullable(),
  attempt: z.number().nullable(),
  at: z.object({ file: z.string().nullable(), line: z.number(), column: z.number() }).nullable(),
  cause: z.unknown().optional(),
});

const standing = component('Standing', {
  execution_id: z.string(),
  workflow_id: z.string(),
  path: z.string(),
  version: z.string().nullable(),
  status: z
    .string()
    .describe(
      'running, paused, cancelling, failing, completed, failed or cancelled; terminated and timed_out are Temporal’s',
    ),
  skipped: z.boolean().describe('Whether a limit ended it before its first step'),
  result: z.unknown(),
  error: error.nullable(),
  steps_executed: z.array(z.string()),
  notes: z.array(mapping).describe('What the run left undone without failing: code, step, message, place'),
  live: z.array(mapping).describe('What is in progress'),
  queued: mapping
    .optional()
    .describe('The limit it waits for before it begins: of, key, limit, holders, ahead, since, until'),
  tasks_run: z.number(),
  retries: z.number(),
  variables: mapping,
  rerun_of: z
    .object({ execution_id: z.string(), step_run_id: z.string() })
    .nullable()
    .describe('For a rerun: what it repeats'),
  continuations: z.number(),
  started_at: z.iso.datetime(),
  deadline_at: z.iso.datetime().nullable().describe('When it must have ended'),
  late: z.boolean().describe('Whether it was open at its deadline, or still is'),
  finished_at: z.iso.datetime().nullable(),
  duration_ms: z.number(),
  unserved: unservedList,
});

export const progress = viewRoute('progress', 'GET /api/executions/{id}/progress', {
  summary: 'The progress or the end of an execution, with its result and its variables',
  description: 'Variables above 16 KiB are references; their values are at `/api/vars/{id}/{name}`.',
  query: z.object({ full: z.stringbool().default(false).describe('true: include large variables') }),
  answers: okAnswer('Its progress', standing),
  async about({ params: { id }, query }, services) {
    const { workflowId } = await locatedExecution(services.client, id);
    return { workflowId, ...query };
  },
  withQueues: true,
});
