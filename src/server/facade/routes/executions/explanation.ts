/**
 * `GET /api/executions/{id}/explanation`: why an execution did what it did; the document of the CLI's `explain`.
 */
import { z } from 'zod';
import { compact } from '../../../../language/plan';
import { executionPath } from '../../executions/ids';
import { unservedList } from '../../executions/unserved';
import { okAnswer, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type RouteServices } from '../../services';

const place = z
  .object({
    file: z.string().nullable(),
    line: z.number(),
    column: z.number(),
    source: z
      .string()
      .optional()
      .meta({ description: 'The source line, if the catalog has the playbook that ran' }),
  })
  .meta({ id: 'PlaceInPlaybook' });

const decision = z
  .object({
    seq: z.number().meta({ description: 'The `seq` of the event that records it' }),
    timestamp: z.iso.datetime(),
    kind: z.string().meta({
      description:
        'start, admission, rule, retry, case, route, join, waiting, loop, note, failure, control or end',
    }),
    step: z.string().nullable(),
    step_run_id: z.string().nullable(),
    task_run_id: z.string().nullable(),
    summary: z.string().meta({ description: 'A description' }),
    details: z.array(z.string()),
    considered: z
      .array(
        z.object({
          what: z.string(),
          guard: z.string().nullable(),
          verdict: z.string(),
          won: z.boolean(),
          values: z
            .record(z.string(), z.unknown())
            .optional()
            .meta({ description: 'Values of the names in the guard, when it was evaluated' }),
          at: place.optional(),
        }),
      )
      .meta({ description: 'What was evaluated, in order, what matched, and what was not reached' }),
    at: place.optional(),
  })
  .meta({ id: 'Decision' });

const explanation = z
  .object({
    execution_id: z.string(),
    playbook: z.string(),
    status: z.string(),
    decisions: z.array(decision),
    unserved: unservedList,
    next_after: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'Of a page: `after` of the next one; null for the last' }),
    divergence: z.object({ message: z.string() }).loose().optional().meta({
      description: 'Where this release diverges from the history; later decisions are not what happened',
    }),
  })
  .meta({ id: 'Explanation' });

const about = z.object({
  step: z.string().max(300).optional().meta({ description: 'Decisions about this step only' }),
  at: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The `seq` of an event: its decision, or the last one before it' }),
  after: z.coerce.number().int().min(0).optional().meta({
    description:
      'The `seq` of an event, 0 for the first page: a page of the decisions after it, also all about iterations',
  }),
  page_size: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(1000)
    .meta({ description: 'Of a page: decisions, at most; those at one event stay together' }),
});

export function explanations({ readings, unserved }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/explanation', {
      scope: 'read',
      summary: 'Why an execution did what it did: each guard with its values and result, and what matched',
      description:
        'Of the decisions about iterations of a step, the first 1,000 are listed, and how many more there were; `at` gets ' +
        'each of them, and `after` pages with all.',
      params: executionPath,
      query: about,
      answers: { ...okAnswer('Its decisions, oldest first', explanation), ...DERIVING_ANSWER },
      errors: [404, 502],
      handle: ({ params: { id }, query: { step, at, after, page_size }, principal, response }) => {
        const page = after === undefined ? {} : { after, page_size };
        return readings.send('explanation', {
          id,
          about: { ...compact({ step, at }), ...page },
          principal,
          response,
          more: unserved.fieldOf(id),
        });
      },
    }),
  ];
}
