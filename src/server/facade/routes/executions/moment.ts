/** `GET /api/executions/{id}/moment`: what the page of a run shows of one of its moments. */
import { z } from 'zod';
import { okAnswer, component, integerFrom, mapping } from '../declare';
import { viewRoute } from '../view-route';

/** Names and values. Not a tuple: tools for OpenAPI do not know those. */
const pairs = <Value extends z.ZodType>(value: Value) =>
  z.array(z.array(z.union([z.string(), value])).length(2));
const count = z.number().int();

const document = component('ExecutionMoment', {
  execution_id: z.string(),
  seq: count.describe('Of the event'),
  status: z.string(),
  skipped: z.boolean().describe('Whether a limit ended it before its first step'),
  steps: pairs(
    z.looseObject({
      look: z.string(),
      runs: count.describe('How often it had started'),
      open: count.describe('How many of these were under way'),
      loop: z.object({ total: count, done: count, failed: count, running: count }).optional(),
      tasks: count,
      waits: count,
      children: z.array(z.object({ execution: z.string(), path: z.string() })),
      called: count.describe('Executions that it had called; `children` has the first 100'),
    }),
  ).describe('By step'),
  tokens: pairs(z.string()).describe('Token, and the step that it was at'),
  fired: pairs(z.array(count)).describe('Step, and how often each arc of its router fired'),
  runs: pairs(z.number()).describe(
    'Step runs under way, and when they began, in milliseconds since the epoch',
  ),
  waits: pairs(z.looseObject({ step: z.string() })).describe('What waited for somebody outside, by task run'),
  workload: z.unknown(),
  variables: mapping.describe('Large ones as references'),
  result: z.unknown(),
  error: z.unknown(),
});

export const momentRoutes = viewRoute('moment', 'GET /api/executions/{id}/moment', {
  summary: 'How an execution stood after an event, as the console shows it',
  query: z.object({
    at: integerFrom(1)
      .optional()
      .describe(
        'The `seq` of an event. Without it: the last one, of a running execution the last one that the projection has',
      ),
  }),
  answers: okAnswer('The moment', document),
  about: ({ query }) => query,
});
