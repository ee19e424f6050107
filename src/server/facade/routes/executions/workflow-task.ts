/** `GET /api/executions/{id}/workflow-task`: why no worker continues an execution, if its workflow task fails. */
import { z } from 'zod';
import { troubleOf } from '../../../../temporal/client';
import { executionPath, locatedExecution } from '../../executions/ids';
import { okAnswer, type Route, route } from '../../http/route';
import { type RouteServices } from '../../services';

const answer = z
  .object({
    workflow_task: z
      .object({
        code: z.string().meta({
          description:
            '`WORKFLOW_TASK_` and `TOO_EXPENSIVE`, `DIVERGED`, `UNANSWERED` (its worker died, or was blocked) or `FAILED`',
        }),
        attempt: z.number().meta({ description: 'The one that is under way, or waits for its turn' }),
        message: z.string(),
        hint: z.string().meta({ description: 'What to do' }),
      })
      .nullable()
      .meta({ description: 'Null if it does not fail, or the execution has ended' }),
  })
  .meta({ id: 'WorkflowTask' });

export function workflowTask({ client }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/workflow-task', {
      scope: 'read',
      summary: 'Why no worker continues an execution, if its workflow task fails again and again',
      params: executionPath,
      answers: okAnswer('What its workflow task suffers from', answer),
      errors: [404, 502],
      async handle({ params: { id } }) {
        const { workflowId } = await locatedExecution(client, id);
        return { workflow_task: (await troubleOf(client, workflowId)) ?? null };
      },
    }),
  ];
}
