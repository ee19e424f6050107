/** `GET /api/executions/{id}/workflow-task`: why no worker continues an execution, if its workflow task fails. */
import { troubleOf } from '../../../../temporal/client';
import { locatedExecution } from '../../executions/ids';
import { okAnswer, route, ofExecution } from '../declare';
import { workflowTaskSchema } from '../../documents/executions';

export const workflowTask = route('GET /api/executions/{id}/workflow-task', {
  ...ofExecution,
  summary: 'Why no worker continues an execution, if its workflow task fails again and again',
  answers: okAnswer('What its workflow task suffers from', workflowTaskSchema),
  async handle({ params: { id } }, { client }) {
    const { workflowId } = await locatedExecution(client, id);
    return { workflow_task: (await troubleOf(client, workflowId)) ?? null };
  },
});
