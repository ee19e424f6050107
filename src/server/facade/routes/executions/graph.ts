/** `GET /api/executions/{id}/graph`: the steps of an execution's playbook, and which of them have run. */
import { okAnswer, route, ofExecution } from '../declare';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { executionGraph } from '../../documents/executions';

export const graph = route('GET /api/executions/{id}/graph', {
  ...ofExecution,
  summary: 'The steps of the playbook of an execution, and their progress',
  answers: { ...okAnswer('The graph', executionGraph), ...DERIVING_ANSWER },
  handle: ({ params: { id }, principal, response }, { readings }) =>
    readings.send('graph', { id, about: {}, principal, response }),
});
