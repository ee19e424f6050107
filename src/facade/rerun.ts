/** `POST /api/executions/:id/rerun`: a new execution that begins with the state another had at a step. */
import { Router } from 'express';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import { compile, formatDiagnostics } from '../dsl';
import { prepareRerun, RerunError, type RerunRefusal } from '../history';
import { type Json, type JsonObject, type Plan } from '../plan';
import { EnvironmentError, historyPages, newExecutionId, startExecution } from '../temporal';
import { FacadeError } from './errors';
import { known } from './events/routes';
import { parsed, temporalId } from './requests';

const values = z.record(z.string(), z.custom<Json>()).default({});
const asked = z.object({
  /** A step, or one run of it (`fetch#2`). */
  from_step: z.string().min(1).max(300),
  /** Laid over the recorded workload. */
  payload: values,
  /** Laid over the recorded variables. */
  variables: values,
  /** YAML of a new revision. */
  playbook: z.string().optional(),
});

const STATUS: Readonly<Record<RerunRefusal, number>> = {
  RERUN_STEP_UNKNOWN: 422,
  RERUN_STEP_NOT_RUN: 409,
  RERUN_GRAPH_DIFFERS: 409,
  RERUN_DIVERGED: 409,
};

export function rerunRoutes(client: Client): Router {
  const router = Router();
  router.post('/:id/rerun', async (request, response) => {
    const { id } = request.params;
    const { from_step, payload, variables, playbook } = parsed(asked, request.body ?? {});
    const executionId = newExecutionId();
    try {
      const { origin, input, changed } = await prepareRerun(() => historyPages(client, temporalId(id)), {
        from: from_step,
        executionId,
        payload: payload as JsonObject,
        variables: variables as JsonObject,
        revision: playbook === undefined ? undefined : compiled(playbook),
        converter: client.options.loadedDataConverter,
      });
      const { handle } = await startExecution(client, input, executionId);
      response.status(201).json({
        execution_id: executionId,
        workflow_id: handle.workflowId,
        status: 'started',
        rerun_of: origin,
        changed_steps: changed,
      });
    } catch (error) {
      if (error instanceof RerunError) throw new FacadeError(STATUS[error.code], error.code, error.message);
      if (error instanceof EnvironmentError && error.code === 'INPUT_TOO_LARGE')
        throw new FacadeError(413, error.code, error.message);
      throw known(error, id);
    }
  });
  return router;
}

function compiled(yaml: string): Plan {
  const { plan, diagnostics } = compile(yaml);
  if (plan) return plan;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  throw new FacadeError(422, 'PLAYBOOK_INVALID', formatDiagnostics(errors, yaml));
}
