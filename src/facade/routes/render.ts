/** `POST /api/context/render`: evaluates templates in the scope of an execution. */
import { z } from 'zod';
import { readExecution } from '../executions/recorded';
import { ok, type Route, route } from '../http/route';
import { type RouteServices } from '../services';
import { executionId } from '../executions/ids';

const bodySchema = z.object({
  execution_id: executionId,
  template: z.unknown().optional().meta({ description: 'A text, or a document whose texts are rendered' }),
  extra_context: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'Names merged over those of the execution' }),
});

export function renderRoutes({ client, threads }: RouteServices): readonly Route[] {
  return [
    route('POST /api/context/render', {
      scope: 'read',
      summary: 'Render templates with the workload, variables and results of an execution',
      description: 'Templates that read secrets are rejected: only workers know their values.',
      body: bodySchema,
      answers: ok(
        'The document, rendered',
        z.object({ status: z.literal('ok'), rendered: z.unknown(), context_keys: z.array(z.string()) }),
      ),
      errors: [404, 502],
      async handle({ body: { execution_id, template = null, extra_context }, principal, response }) {
        const { state } = await readExecution(client, execution_id);
        const names = extra_context ?? {};
        const text = await threads.run('render', { state, template, names }, principal.name);
        response.type('json').send(text);
      },
    }),
  ];
}
