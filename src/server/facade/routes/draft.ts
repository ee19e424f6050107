/** `POST /api/execute/draft`: start an execution of a text that is not registered, as editors do. */
import { z } from 'zod';
import { unreadInputs } from '../../../language/dsl';
import { type JsonObject } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { startedDraft } from '../documents/executions';
import { refuseWrongInputs } from '../submit/inputs';
import { submittedPlan } from '../submit/revision';
import { startSealed } from '../submit/start-sealed';
import { labelMapping, mapping, okAnswer, route } from './declare';

const draftBody = z.object({
  content: z.string().min(1).max(4_000_000).describe('YAML of a playbook'),
  workload: mapping.optional().describe('Values merged over the workload of the playbook'),
  labels: labelMapping.optional(),
});

export const draftRoutes = route('POST /api/execute/draft', {
  scope: 'run',
  summary: 'Start an execution of a playbook that is not registered',
  description:
    'The execution has the `metadata.path` of the text and no version; the catalog stays as it is. Sub-playbooks are those of the catalog. ' +
    'Without an idempotency key: a request that is sent again starts another execution.',
  body: draftBody,
  answers: okAnswer('It began', startedDraft, 201),
  errors: [503],
  async handle({ body: { content, workload = {}, labels = {} }, principal }, services) {
    const plan = await submittedPlan(services, content, principal.name);
    const payload = workload as JsonObject;
    refuseWrongInputs(plan.inputs, payload);
    const executionId = newExecutionId();
    const { handle } = await startSealed(services, { plan, payload }, executionId, {
      caller: principal.name,
      labels,
    });
    services.starts.emit(`by ${principal.name}`, executionId);
    return {
      execution_id: executionId,
      workflow_id: handle.workflowId,
      status: 'started',
      path: plan.metadata.path,
      warnings: unreadInputs(plan, payload),
    };
  },
});
