/** `GET /api/executions/{id}/status`: the status printed by the official CLI. */
import { z } from 'zod';
import { executionPath } from '../../executions/ids';
import { STATUSES } from '../../executions/words';
import { unservedList } from '../../executions/unserved';
import { okAnswer, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type RouteServices } from '../../services';

const querySchema = z.object({
  full: z.stringbool().default(false).meta({ description: 'true: include large variables' }),
});

const statusDocument = z
  .object({
    execution_id: z.string(),
    path: z.string(),
    status: z.enum(STATUSES),
    current_step: z.string().nullable(),
    completed_steps: z.array(z.string()),
    failed_steps: z.array(z.string()),
    skipped: z.boolean().meta({ description: 'Whether a limit ended it before its first step' }),
    completed: z.boolean().meta({ description: 'Whether it has ended, in any status' }),
    failed: z.boolean().meta({
      description:
        'Whether it has ended without completing: `status` is failed or cancelled. The official CLI reads ' +
        'only `completed` and `failed`, and shows COMPLETED if not failed',
    }),
    completion_inferred: z.literal(false),
    error: z.string().nullable(),
    variables: z.record(z.string(), z.unknown()),
    start_time: z.iso.datetime(),
    end_time: z.iso.datetime().nullable(),
    duration_seconds: z.number(),
    duration_human: z.string(),
    deadline_at: z.iso.datetime().nullable().meta({ description: 'When it must have ended' }),
    late: z.boolean().meta({ description: 'Whether it was open at its deadline, or still is' }),
    parent_execution_id: z.string().nullable(),
    unserved: unservedList,
  })
  .meta({ id: 'ExecutionStatus' });

export function status({ readings, unserved }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/status', {
      scope: 'read',
      summary: 'What an execution is doing, or how it ended',
      params: executionPath,
      query: querySchema,
      answers: { ...okAnswer('The status', statusDocument), ...DERIVING_ANSWER },
      errors: [404, 502],
      handle: ({ params: { id }, query: { full }, principal, response }) =>
        readings.send('status', { id, about: { full }, principal, response, more: unserved.fieldOf(id) }),
    }),
  ];
}
