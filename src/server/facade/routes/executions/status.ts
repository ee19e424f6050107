/** `GET /api/executions/{id}/status`: the status printed by the official CLI. */
import { z } from 'zod';
import { okAnswer, component, mapping } from '../declare';
import { unservedList, STATUSES } from '../../documents/executions';
import { viewRoute } from '../view-route';

const querySchema = z.object({
  full: z.stringbool().default(false).describe('true: include large variables'),
});

const statusDocument = component('ExecutionStatus', {
  execution_id: z.string(),
  path: z.string(),
  status: z.enum(STATUSES),
  current_step: z.string().nullable(),
  completed_steps: z.array(z.string()),
  failed_steps: z.array(z.string()),
  skipped: z.boolean().describe('Whether a limit ended it before its first step'),
  completed: z.boolean().describe('Whether it has ended, in any status'),
  failed: z
    .boolean()
    .describe(
      'Whether it has ended without completing: `status` is failed or cancelled. The official CLI reads ' +
        'only `completed` and `failed`, and shows COMPLETED if not failed',
    ),
  completion_inferred: z.literal(false),
  error: z.string().nullable(),
  variables: mapping,
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime().nullable(),
  duration_seconds: z.number(),
  duration_human: z.string(),
  deadline_at: z.iso.datetime().nullable().describe('When it must have ended'),
  late: z.boolean().describe('Whether it was open at its deadline, or still is'),
  parent_execution_id: z.string().nullable(),
  unserved: unservedList,
});

export const status = viewRoute('status', 'GET /api/executions/{id}/status', {
  summary: 'What an execution is doing, or how it ended',
  query: querySchema,
  answers: okAnswer('The status', statusDocument),
  about: ({ query }) => query,
  withQueues: true,
});
