/** `/api/executions`: what a run is doing and did, and how to steer it. */
import { Router } from 'express';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import { recordedExecution, type RecordedExecution } from '../history';
import { ExecutionNotFoundError, ExecutionOverError, historyPages, steer } from '../temporal';
import { FacadeError } from './errors';
import { known } from './events/routes';
import { parsed, temporalId } from './requests';

const asked = z.object({ reason: z.string().max(1000).optional() }).default({});

export function executions(client: Client): Router {
  const router = Router();

  router.get('/:id/status', async (request, response) => {
    response.json(statusOf(request.params.id, await load(client, request.params.id)));
  });

  for (const [verb, status] of [
    ['pause', 'pausing'],
    ['resume', 'resuming'],
    ['cancel', 'cancelling'],
  ] as const) {
    router.post(`/:id/${verb}`, async (request, response) => {
      const { reason } = parsed(asked, request.body ?? {});
      await steer(client, temporalId(request.params.id), verb, reason).catch((error: unknown) => {
        if (!(error instanceof ExecutionOverError || error instanceof ExecutionNotFoundError)) throw error;
        throw new FacadeError(404, 'EXECUTION_NOT_RUNNING', `no running execution ${request.params.id}`);
      });
      response.status(202).json({ execution_id: request.params.id, status });
    });
  }

  return router;
}

async function load(client: Client, id: string): Promise<RecordedExecution> {
  try {
    const converter = client.options.loadedDataConverter;
    return await recordedExecution(historyPages(client, temporalId(id)), { converter });
  } catch (error) {
    throw known(error, id);
  }
}

/** The status document that the official CLI reads (facts/noetl-clients.md). */
function statusOf(id: string, { state, plan }: RecordedExecution): object {
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
