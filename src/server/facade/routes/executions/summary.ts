/** `GET /api/executions/{id}/summary`: what Temporal's description says of an execution, at the same cost for any. */
import { described } from '../../executions/described';
import { executionPath } from '../../executions/ids';
import { summaryOf } from '../../executions/summary';
import { okAnswer, route } from '../declare';
import { servedSummary } from '../../documents/executions';

export const summaryRoutes = route('GET /api/executions/{id}/summary', {
  scope: 'read',
  summary: 'An execution as lists have it, and the queues without workers in which its tasks wait',
  description: 'It does not read the history: there is no result, error or progress.',
  params: executionPath,
  answers: okAnswer('The execution', servedSummary),
  errors: [404],
  async handle({ params: { id } }, { client, unserved }) {
    return { ...summaryOf(await described(client, id), Date.now()), ...(await unserved.fieldOf(id)) };
  },
});
