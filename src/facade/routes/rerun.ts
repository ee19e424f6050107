/**
 * `POST /api/executions/:id/rerun`: a new execution that starts with the state of another one at a step, or, as
 * used by the official CLI and GUI, from its beginning.
 */
import { z } from 'zod';
import { formatDiagnostics } from '../../dsl';
import { prepareRerun } from '../../history';
import { type JsonObject, type Plan } from '../../plan';
import { newExecutionId } from '../../temporal';
import { FacadeError } from '../http/errors';
import { type Route, route } from '../http/route';
import { type RouteServices } from '../services';
import { startSealed } from '../submit/start-sealed';
import { type Threads } from '../threads/threads';
import { executionPath, pagesOf } from '../executions/ids';

const values = z.record(z.string(), z.unknown()).default({});
const asked = z.object({
  from_step: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'A step, or one run of it (`fetch#2`); default: repeat the whole run' }),
  workload: values.meta({ description: 'Merged over the recorded workload' }),
  payload: values.meta({ description: 'As `workload`' }),
  variables: values.meta({ description: 'Merged over the recorded variables' }),
  playbook: z.string().optional().meta({ description: 'YAML of a new revision' }),
});

const begun = z.object({
  execution_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('started'),
  rerun_of: z.unknown(),
  changed_steps: z.array(z.string()),
});

export function rerun(services: RouteServices): readonly Route[] {
  const { client, threads } = services;
  return [
    route({
      method: 'post',
      path: '/api/executions/{id}/rerun',
      scope: 'run',
      tag: 'executions',
      summary: 'Rerun an execution, from its start or with its state at a step',
      params: executionPath,
      body: asked,
      answers: { 201: { description: 'It began', body: begun } },
      errors: [404, 409, 502, 503],
      async handle({ params: { id }, body, principal }) {
        const { from_step, variables, playbook } = body;
        const executionId = newExecutionId();
        const { origin, input, changed } = await prepareRerun(() => pagesOf(client, id), {
          from: from_step,
          executionId,
          payload: { ...body.payload, ...body.workload } as JsonObject,
          variables: variables as JsonObject,
          revision: playbook === undefined ? undefined : await compiled(threads, playbook, principal.name),
          converter: client.options.loadedDataConverter,
        });
        const { handle } = await startSealed(services, input, executionId);
        return {
          execution_id: executionId,
          workflow_id: handle.workflowId,
          status: 'started',
          rerun_of: origin,
          changed_steps: changed,
        };
      },
    }),
  ];
}

async function compiled(threads: Threads, content: string, caller: string): Promise<Plan> {
  const { plan, diagnostics } = await threads.run('plan', { content }, caller);
  if (plan) return plan;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  throw new FacadeError(422, 'PLAYBOOK_INVALID', formatDiagnostics(errors, content));
}
