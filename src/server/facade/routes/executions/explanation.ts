/**
 * `GET /api/executions/{id}/explanation`: why an execution did what it did; the document of the CLI's `explain`.
 */
import { z } from 'zod';
import { okAnswer, component, integerFrom, mapping } from '../declare';
import { unservedList } from '../../documents/executions';
import { viewRoute } from '../view-route';

const place = component('PlaceInPlaybook', {
  file: z.string().nullable(),
  line: z.number(),
  column: z.number(),
  source: z.string().optional().describe('The source line, if the catalog has the playbook that ran'),
});

const decision = component('Decision', {
  seq: z.number().describe('The `seq` of the event that records it'),
  timestamp: z.iso.datetime(),
  kind: z
    .string()
    .describe(
      'start, admission, rule, retry, case, route, join, waiting, loop, note, failure, control or end',
    ),
  step: z.string().nullable(),
  step_run_id: z.string().nullable(),
  task_run_id: z.string().nullable(),
  summary: z.string().describe('A description'),
  details: z.array(z.string()),
  considered: z
    .array(
      z.object({
        what: z.string(),
        guard: z.string().nullable(),
        verdict: z.string(),
        won: z.boolean(),
        values: mapping.optional().describe('Values of the names in the guard, when it was evaluated'),
        at: place.optional(),
      }),
    )
    .describe('What was evaluated, in order, what matched, and what was not reached'),
  at: place.optional(),
});

const explanation = component('Explanation', {
  execution_id: z.string(),
  playbook: z.string(),
  status: z.string(),
  decisions: z.array(decision),
  unserved: unservedList,
  next_after: z
    .number()
    .nullable()
    .optional()
    .describe('Of a page: `after` of the next one; null for the last'),
  divergence: z
    .object({ message: z.string() })
    .loose()
    .optional()
    .describe('Where this release diverges from the history; later decisions are not what happened'),
});

const about = z.object({
  step: z.string().max(300).optional().describe('Decisions about this step only'),
  at: integerFrom(1).optional().describe('The `seq` of an event: its decision, or the last one before it'),
  after: integerFrom(0)
    .optional()
    .describe(
      'The `seq` of an event, 0 for the first page: a page of the decisions after it, also all about iterations',
    ),
  events: integerFrom(1)
    .optional()
    .describe(
      'Look at so many events, at most, where they are derived from a long history: `next_after` leads to the rest',
    ),
  page_size: integerFrom(1)
    .max(1000)
    .default(1000)
    .describe('Of a page: decisions, at most; those at one event stay together'),
});

export const explanations = viewRoute('explanation', 'GET /api/executions/{id}/explanation', {
  summary: 'Why an execution did what it did: each guard with its values and result, and what matched',
  description:
    'Of the decisions about iterations of a step, the first 1,000 are listed, and how many more there were; `at` gets ' +
    'each of them, and `after` pages with all.',
  query: about,
  answers: okAnswer('Its decisions, oldest first', explanation),
  about: ({ query: { page_size, ...query } }) =>
    query.after === undefined ? query : { ...query, page_size },
  withQueues: true,
});
