/** `GET /api/executions/{id}/summary`: what Temporal's description says of an execution, at the same cost for any. */
import { described } from '../../executions/described';
import { executionPath } from '../../executions/ids';
import { executionSummary, summaryOf } from '../../executions/summary';
import { unservedList } from '../../executions/unserved';
import { okAnswer, type Route, route } from '../../http/route';
import { type RouteServices } from '../../services';

const answer = executionSummary.extend({ unserved: unservedList }).meta({ id: 'ExecutionSummary' });

export function summaryRoutes({ client, unserved }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/summary', {
      scope: 'read',
      summary: 'An execution as lists have it, and the queues without workers in which its tasks wait',
      description: 'It does not read the history: there is no result, error or progress.',
      params: executionPath,
      answers: okAnswer('The execution', answer),
      errors: [404],
      async handle({ params: { id } }) {
        return { ...summaryOf(await described(client, id), Date.now()), ...(await unserved.fieldOf(id)) };
      },
    }),
  ];
}
