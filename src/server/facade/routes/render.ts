/** `POST /api/context/render`: evaluates templates in the scope of an execution. */
import { z } from 'zod';
import { sendJsonText } from '../http/portions';
import { okAnswer, type Route, route } from '../http/route';
import { RENDERING } from '../reading/thread-bounds';
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

export function renderRoutes({ readings }: RouteServices): readonly Route[] {
  return [
    route('POST /api/context/render', {
      scope: 'read',
      summary: 'Render templates with the workload, variables and results of an execution',
      description: 'Templates that read secrets are rejected: only workers know their values.',
      body: bodySchema,
      answers: okAnswer(
        'The document, rendered',
        z.object({ status: z.literal('ok'), rendered: z.unknown(), context_keys: z.array(z.string()) }),
      ),
      errors: [404, 502],
      async handle({ body: { execution_id, template = null, extra_context }, principal, response }) {
        const about = { template, names: extra_context ?? {} };
        const request = { id: execution_id, about, caller: principal.name };
        const text = await readings.wholeText('render', request, { limits: RENDERING });
        await sendJsonText(response, text);
      },
    }),
  ];
}
