/** `GET /api/executions/{id}/status`: the status printed by the official CLI. */
import { z } from 'zod';
import { boundedValue } from '../../../history';
import { readExecution, type ReadExecution } from '../../executions/recorded';
import { timesOf } from '../../executions/summary';
import { isOver, STATUSES } from '../../executions/words';
import { ok, type Route, route } from '../../http/route';
import { type FacadeServices } from '../../services';
import { executionPath } from '../../executions/ids';

/** Bytes of a variable's JSON; larger ones are replaced by a reference unless all is requested. */
const VARIABLE_LIMIT = 16_384;

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
  })
  .meta({ id: 'ExecutionStatus' });

export function status({ client }: FacadeServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/status', {
      scope: 'read',
      summary: 'What an execution is doing, or how it ended',
      params: executionPath,
      query: querySchema,
      answers: ok('The status', statusDocument),
      errors: [404, 502],
      handle: async ({ params: { id }, query: { full } }) => statusOf(await readExecution(client, id), full),
    }),
  ];
}

function statusOf(read: ReadExecution, full: boolean): z.input<typeof statusDocument> {
  const { id, plan, state, status, error, startedAt, endedAt, deadlineAt } = read;
  const ended = (how: string): string[] =>
    Object.keys(state.results).filter((step) => state.results[step]!.status === how);
  const underWay = Object.values(state.runs).map((run) => run.step);
  return {
    execution_id: id,
    path: plan.metadata.path,
    status,
    current_step: underWay.at(-1) ?? state.executed.at(-1) ?? null,
    completed_steps: ended('ok'),
    failed_steps: ended('error'),
    completed: isOver(status),
    failed: isOver(status) && status !== 'COMPLETED',
    completion_inferred: false,
    error,
    variables: full ? state.ctx : shortened(read),
    ...timesOf(startedAt, endedAt, Date.now()),
    deadline_at: deadlineAt === undefined ? null : new Date(deadlineAt).toISOString(),
    late: deadlineAt !== undefined && (endedAt ?? Date.now()) > deadlineAt,
    parent_execution_id: state.caller?.executionId ?? null,
  };
}

function shortened({ state, lastEventId }: ReadExecution): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(state.ctx).map(([name, value]) => [
      name,
      boundedValue(name, value, VARIABLE_LIMIT, lastEventId),
    ]),
  );
}
