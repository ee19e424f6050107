/** Limits by key: which keys are in use, by whom, and who waits. */
import { z } from 'zod';
import { type KeeperView } from '../../../language/plan';
import { limitsInUse } from '../../../temporal/client';
import { okAnswer, route, pageOfQuery, paginationSchema, component, integerFrom } from './declare';

const entry = component(
  'LimitEntry',
  { execution_id: z.string(), since: z.iso.datetime() },
  'An execution, and since when it holds the key or waits for it',
);

const limit = component('LimitInUse', {
  of: z.enum(['concurrency', 'debounce', 'rate']),
  scope: z.string().describe('The path of the playbook, unless it names a scope'),
  key: z.string(),
  limit: z.number().nullable(),
  holders: z.array(entry).nullable().describe('null: no workflow worker answered'),
  waiting: z.array(entry).nullable().describe('The first 100, in the order in which they will begin'),
  waiting_count: z.number().nullable(),
});

export const limitRoutes = route('GET /api/limits', {
  scope: 'read',
  summary: 'The keys of limits that are in use: which executions hold them, and which wait',
  query: z.object({
    of: z.enum(['concurrency', 'debounce', 'rate']).optional(),
    scope: z.string().optional(),
    key: z.string().optional(),
    page: pageOfQuery.page,
    page_size: integerFrom(1).max(100).default(100).describe('Keys of a page: each asks a workflow worker'),
  }),
  answers: okAnswer('A page', z.object({ limits: z.array(limit), pagination: paginationSchema })),
  errors: [502],
  async handle({ query: { page, page_size, ...filter } }, { client }) {
    const offset = (page - 1) * page_size;
    const some = await limitsInUse(client, filter, { offset, limit: page_size + 1 });
    const limits = some.slice(0, page_size).map((one) => ({
      ...one,
      holders: shown(one.holders),
      waiting: shown(one.waiting),
      waiting_count: one.waiting?.length ?? null,
    }));
    return { limits, pagination: { page, page_size, has_next: some.length > page_size } };
  },
});

/** Executions of a key; any number may wait. */
const SHOWN = 100;

function shown(entries: KeeperView['holders'] | null) {
  return (
    entries &&
    entries
      .slice(0, SHOWN)
      .map(({ execution_id, since }) => ({ execution_id, since: new Date(since).toISOString() }))
  );
}
