/** `POST /api/executions/{id}/analyze`: facts about a run for people and assistants; no model is called. */
import { z } from 'zod';
import { described } from '../../executions/described';
import { executionPath } from '../../executions/ids';
import { executionIdentity } from '../../executions/summary';
import { okAnswer, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type RouteServices } from '../../services';

const bodySchema = z.object({
  max_events: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(2000)
    .meta({ description: 'Number of latest decisions in the prompt' }),
  event_sample_size: z.number().int().min(1).max(1000).default(200),
});

const record = z.record(z.string(), z.unknown());
const bundle = z
  .object({
    execution_id: z.string(),
    path: z.string(),
    status: z.string(),
    generated_at: z.iso.datetime(),
    summary: record,
    findings: z.array(
      z.object({
        severity: z.enum(['error', 'warning', 'info']),
        code: z.string(),
        message: z.string(),
        step: z.string().nullable(),
        recommendation: z.string(),
      }),
    ),
    recommendations: z.array(z.string()),
    cloud: record,
    playbook: record,
    event_sample: z.array(record),
    ai_prompt: z.string(),
  })
  .meta({ id: 'Analysis' });

export function analysis({ client, readings }: RouteServices): readonly Route[] {
  return [
    route('POST /api/executions/{id}/analyze', {
      scope: 'read',
      summary: 'Notable findings about an execution, from its history',
      params: executionPath,
      body: bodySchema,
      answers: { ...okAnswer('Facts, findings and recommendations', bundle), ...DERIVING_ANSWER },
      errors: [404, 502],
      async handle({ params: { id }, body: { max_events, event_sample_size }, principal, response }) {
        const identity = executionIdentity(await described(client, id));
        const about = { identity, decisions: max_events, sample: event_sample_size };
        return await readings.send('analysis', { id, about, principal, response });
      },
    }),
  ];
}
