/** `GET /api/executions/{id}/graph`: the steps of an execution's playbook, and which of them have run. */
import { z } from 'zod';
import { RouteReply, route, ofExecution } from '../declare';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { FORMATS, PICTURES } from '../../reading/views/graph';
import { executionGraph } from '../../documents/executions';

export const graph = route('GET /api/executions/{id}/graph', {
  ...ofExecution,
  summary: 'The steps of the playbook of an execution, and their progress',
  query: z.object({ format: z.enum(FORMATS).default('json') }),
  answers: {
    200: {
      description: 'The graph; pictures are those of `noetl-temporal graph`',
      body: executionGraph,
      content: {
        'text/plain': 'Mermaid',
        'text/vnd.graphviz': 'DOT',
        'image/svg+xml': 'A picture',
      },
    },
    ...DERIVING_ANSWER,
  },
  async handle({ params: { id }, query: { format }, principal, response }, { readings }) {
    const request = { id, about: { format }, principal, response };
    if (format === 'json') return await readings.send('graph', request);
    const text = await readings.text('graph', request);
    if (text instanceof RouteReply) return text;
    response.type(PICTURES[format].type).send(JSON.parse(text));
    return undefined;
  },
});
