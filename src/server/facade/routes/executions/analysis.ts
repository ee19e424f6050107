/** `POST /api/executions/{id}/analyze`: facts about a run for people and assistants; no model is called. */
import { z } from 'zod';
import { described } from '../../executions/described';
import { executionIdentity } from '../../executions/summary';
import { okAnswer, component, mapping } from '../declare';
import { viewRoute } from '../view-route';

const bodySchema = z.object({
  max_events: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(2000)
    .describe('Number of latest decisions in the prompt'),
  event_sample_size: z.number().int().min(1).max(1000).default(200),
});

const bundle = component('Analysis', {
  execution_id: z.string(),
  path: z.string(),
  status: z.string(),
  generated_at: z.iso.datetime(),
  summary: mapping,
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
  cloud: mapping,
  playbook: mapping,
  event_sample: z.array(mapping),
  ai_prompt: z.string(),
});

export const analysis = viewRoute('analysis', 'POST /api/executions/{id}/analyze', {
  summary: 'Notable findings about an execution, from its history',
  body: bodySchema,
  answers: okAnswer('Facts, findings and recommendations', bundle),
  async about({ params: { id }, body: { max_events: decisions, event_sample_size: sample } }, services) {
    const identity = executionIdentity(await described(services.client, id));
    return { identity, decisions, sample };
  },
});
