/** `/api/executions`: what a run is doing and did, and how to steer it. */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import { recordedExecution, type RecordedExecution } from '../../history';
import { ExecutionNotFoundError, ExecutionOverError, historyPages, steer } from '../../temporal';
import { FacadeError } from '../http/errors';
import { type Route, route } from '../http/route';
import { type FacadeServices } from '../services';
import { known } from './known';
import { executionPath, temporalId } from './requests';

const reason = z.object({ reason: z.string().max(1000).optional() });

/** The status document that the official CLI reads (facts/noetl-clients.md). */
const statusDocument = z
  .object({
    execution_id: z.string(),
    path: z.string(),
    status: z.string(),
    current_step: z.string().nullable(),
    completed_steps: z.array(z.string()),
    completed: z.boolean(),
    failed: z.boolean(),
    error: z.string().nullable(),
    variables: z.record(z.string(), z.unknown()),
    start_time: z.string(),
    end_time: z.string().nullable(),
    duration_seconds: z.number(),
    duration_human: z.string(),
  })
  .meta({ id: 'ExecutionStatus' });

export function executions({ client }: FacadeServices): readonly Route[] {
  const steering = [
    ['pause', 'pausing'],
    ['resume', 'resuming'],
    ['cancel', 'cancelling'],
  ] as const;
  return [
    route({
      method: 'get',
      path: '/api/executions/{id}/status',
      scope: 'read',
      tag: 'executions',
      summary: 'What an execution is doing, or how it ended',
      params: executionPath,
      answers: { 200: { description: 'The status', body: statusDocument } },
      errors: [404],
      handle: async ({ params: { id } }) => statusOf(id, await load(client, id)),
    }),
    ...steering.map(([verb, status]) =>
      route({
        method: 'post',
        path: `/api/executions/{id}/${verb}`,
        scope: 'run',
        tag: 'executions',
        summary: `${verb} a running execution, its sub-playbooks included`,
        params: executionPath,
        body: reason,
        answers: {
          202: {
            description: 'The execution is told',
            body: z.object({ execution_id: z.string(), status: z.literal(status) }),
          },
        },
        errors: [404],
        async handle({ params: { id }, body }) {
          await steer(client, temporalId(id), verb, body.reason).catch((error: unknown) => {
            if (!(error instanceof ExecutionOverError || error instanceof ExecutionNotFoundError))
              throw error;
            throw new FacadeError(404, 'EXECUTION_NOT_RUNNING', `no running execution ${id}`);
          });
          return { execution_id: id, status };
        },
      }),
    ),
  ];
}

async function load(client: Client, id: string): Promise<RecordedExecution> {
  try {
    const converter = client.options.loadedDataConverter;
    return await recordedExecution(historyPages(client, temporalId(id)), { converter });
  } catch (error) {
    throw known(error, id);
  }
}

/** The status document, from the history. */
function statusOf(id: string, { state, plan }: RecordedExecution): z.input<typeof statusDocument> {
  const over = ['completed', 'failed', 'cancelled'].includes(state.status);
  const seconds = (state.now - state.startedAt) / 1000;
  const running = Object.values(state.runs).map((run) => run.step);
  return {
    execution_id: id,
    path: plan.metadata.path,
    status: state.status.toUpperCase(),
    current_step: running.at(-1) ?? state.executed.at(-1) ?? null,
    completed_steps: Object.keys(state.results),
    completed: over,
    failed: state.status === 'failed',
    error: state.failure
      ? `${[state.failure.step, state.failure.task].filter(Boolean).join('/')}: ${state.failure.message}`
      : null,
    variables: state.ctx,
    start_time: new Date(state.startedAt).toISOString(),
    end_time: over ? new Date(state.now).toISOString() : null,
    duration_seconds: seconds,
    duration_human:
      seconds < 60 ? `${Math.round(seconds)}s` : `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`,
  };
}
