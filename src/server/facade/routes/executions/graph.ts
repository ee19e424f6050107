/** `GET /api/executions/{id}/graph`: the steps of an execution's playbook, and which of them have run. */
import { z } from 'zod';
import { executionPath } from '../../executions/ids';
import { RouteReply, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { FORMATS, PICTURES, PROGRESS } from '../../reading/views/graph';
import { type RouteServices } from '../../services';

const document = z
  .object({
    execution_id: z.string(),
    name: z.string(),
    path: z.string(),
    entry: z.string(),
    nodes: z.array(
      z.looseObject({
        step: z.string().nullable(),
        kinds: z.array(z.string()),
        status: z.enum(PROGRESS),
        runs: z.number().meta({ description: 'How often the step has started' }),
      }),
    ),
    arcs: z.array(
      z.looseObject({ from: z.string(), to: z.string().nullable(), when: z.string().optional() }),
    ),
  })
  .meta({ id: 'ExecutionGraph' });

export function graph({ readings }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/graph', {
      scope: 'read',
      summary: 'The steps of the playbook of an execution, and their progress',
      params: executionPath,
      query: z.object({ format: z.enum(FORMATS).default('json') }),
      answers: {
        200: {
          description: 'The graph; pictures are those of `noetl-temporal graph`',
          body: document,
          content: {
            'text/plain': 'Mermaid',
            'text/vnd.graphviz': 'DOT',
            'image/svg+xml': 'A picture',
          },
        },
        ...DERIVING_ANSWER,
      },
      errors: [404, 502],
      async handle({ params: { id }, query: { format }, principal, response }) {
        const request = { id, about: { format }, principal, response };
        if (format === 'json') return await readings.send('graph', request);
        const text = await readings.text('graph', request);
        if (text instanceof RouteReply) return text;
        response.type(PICTURES[format].type).send(JSON.parse(text));
        return undefined;
      },
    }),
  ];
}
