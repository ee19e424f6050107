/** `POST /api/context/render`: evaluates templates in the scope of an execution. */
import { z } from 'zod';
import { sendJsonText } from '../http/portions';
import { okAnswer, route, mapping } from './declare';
import { RENDERING } from '../reading/thread-bounds';
import { executionId } from '../executions/ids';

const bodySchema = z.object({
  execution_id: executionId,
  template: z.unknown().optional().describe('A text, or a document whose texts are rendered'),
  extra_context: mapping.nullish().describe('Names merged over those of the execution'),
});

export const renderRoutes = route('POST /api/context/render', {
  scope: 'read',
  summary: 'Render templates with the workload, variables and results of an execution',
  description: 'Templates that read secrets are rejected: only workers know their values.',
  body: bodySchema,
  answers: okAnswer(
    'The document, rendered',
    z.object({ status: z.literal('ok'), rendered: z.unknown(), context_keys: z.array(z.string()) }),
  ),
  errors: [404, 502],
  async handle(
    { body: { execution_id, template = null, extra_context }, principal, response },
    { readings },
  ) {
    const about = { template, names: extra_context ?? {} };
    const request = { id: execution_id, about, caller: principal.name };
    const text = await readings.wholeText('render', request, { limits: RENDERING });
    await sendJsonText(response, text);
  },
});
