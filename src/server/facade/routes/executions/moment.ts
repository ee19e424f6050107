/** `GET /api/executions/{id}/moment`: what the page of a run shows of one of its moments. */
import { z } from 'zod';
import { compact } from '../../../../language/plan';
import { executionPath } from '../../executions/ids';
import { okAnswer, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type RouteServices } from '../../services';

/** Names and values. Not a tuple: tools for OpenAPI do not know those. */
const pairs = <Value extends z.ZodType>(value: Value) =>
  z.array(z.array(z.union([z.string(), value])).length(2));
const count = z.number().int();

const document = z
  .object({
    execution_id: z.string(),
    seq: count.meta({ description: 'Of the event' }),
    status: z.string(),
    skipped: z.boolean().meta({ description: 'Whether a limit ended it before its first step' }),
    steps: pairs(
      z.looseObject({
        look: z.string(),
        runs: count.meta({ description: 'How often it had started' }),
        open: count.meta({ description: 'How many of these were under way' }),
        loop: z.object({ total: count, done: count, failed: count, running: count }).optional(),
        tasks: count,
        waits: count,
        children: z.array(z.object({ execution: z.string(), path: z.string() })),
        called: count.meta({ description: 'Executions that it had called; `children` has the first 100' }),
      }),
    ).meta({ description: 'By step' }),
    tokens: pairs(z.string()).meta({ description: 'Token, and the step that it was at' }),
    fired: pairs(z.array(count)).meta({ description: 'Step, and how often each arc of its router fired' }),
    runs: pairs(z.number()).meta({
      description: 'Step runs under way, and when they began, in milliseconds since the epoch',
    }),
    waits: pairs(z.looseObject({ step: z.string() })).meta({
      description: 'What waited for somebody outside, by task run',
    }),
    workload: z.unknown(),
    variables: z.record(z.string(), z.unknown()).meta({ description: 'Large ones as references' }),
    result: z.unknown(),
    error: z.unknown(),
  })
  .meta({ id: 'ExecutionMoment' });

export function momentRoutes({ readings }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/moment', {
      scope: 'read',
      summary: 'How an execution stood after an event, as the console shows it',
      params: executionPath,
      query: z.object({
        at: z.coerce.number().int().min(1).optional().meta({
          description:
            'The `seq` of an event. Without it: the last one, of a running execution the last one that the projection has',
        }),
      }),
      answers: { ...okAnswer('The moment', document), ...DERIVING_ANSWER },
      errors: [404, 502],
      handle: ({ params: { id }, query: { at }, principal, response }) =>
        readings.send('moment', { id, about: compact({ at }), principal, response }),
    }),
  ];
}
