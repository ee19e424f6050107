/**
 * `POST /api/executions/:id/rerun`: a new execution that starts with the state of another one at a step, or, as
 * used by the official CLI and GUI, from its beginning.
 */
import { z } from 'zod';
import { compact, type JsonObject } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { route, okAnswer, mapping } from './declare';
import { submittedRevision } from '../submit/revision';
import { startSealed } from '../submit/start-sealed';
import { executionPath } from '../executions/ids';
import { begunRerun } from '../documents/executions';

const values = mapping.default({});
const bodySchema = z.object({
  from_step: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('A step, or one run of it (`fetch#2`); default: repeat the whole run'),
  from_failure: z.boolean().default(false).describe('Begin at the step that failed, instead of `from_step`'),
  only: z
    .boolean()
    .default(false)
    .describe('Run that step alone, with the input it had then; nothing follows'),
  workload: values.describe('Merged over the recorded workload'),
  payload: values.describe('As `workload`'),
  variables: values.describe('Merged over the recorded variables'),
  playbook: z.string().optional().describe('YAML of a new revision'),
});

export const rerunRoutes = route('POST /api/executions/{id}/rerun', {
  scope: 'run',
  summary: 'Rerun an execution, from its start or with its state at a step',
  params: executionPath,
  body: bodySchema,
  answers: okAnswer('It began', begunRerun, 201),
  errors: [404, 409, 502, 503],
  async handle({ params: { id }, body, principal }, services) {
    const { threads, readings } = services;
    const { from_step, from_failure, only, variables, playbook } = body;
    const executionId = newExecutionId();
    const about = {
      executionId,
      payload: { ...body.payload, ...body.workload } as JsonObject,
      variables: variables as JsonObject,
      ...compact({
        from: from_step,
        fromFailure: from_failure,
        alone: only,
        revision: await submittedRevision(threads, playbook, principal.name),
      }),
    };
    const { origin, input, changed } = await readings.whole('rerun', {
      id,
      about,
      caller: principal.name,
    });
    const { execution_id, step_run_id } = origin;
    const { handle } = await startSealed(services, input, executionId, {
      rerun: { execution_id, step_run_id },
    });
    return {
      execution_id: executionId,
      workflow_id: handle.workflowId,
      status: 'started',
      rerun_of: origin,
      changed_steps: changed,
    };
  },
});
