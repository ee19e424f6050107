/** `/api/cache`: results of tasks that equal calls may reuse (`spec.cache`). */
import { z } from 'zod';
import { okAnswer, route, noStorage, component, integerFrom } from './declare';
import { type RouteServices } from '../services';
import { type StepCache } from '../../../storage/payloads';

const filter = z.object({
  path: z.string().min(1).max(500).optional().describe('Of the playbook; `a/b/*` for all below a/b'),
  step: z.string().min(1).max(300).optional(),
  expired: z.stringbool().optional().describe('true: only those that no call would reuse'),
});

const entry = component('CachedResult', {
  path: z.string(),
  step: z.string(),
  task: z.string(),
  kind: z.string(),
  digest: z.string().describe('Of everything that the result depends on'),
  execution_id: z.string().describe('The execution that ran the task'),
  task_run_id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

function storeOf({ cache }: RouteServices): StepCache {
  if (cache) return cache;
  throw noStorage('cached results are');
}

export const cacheRoutes = [
  route('GET /api/cache', {
    scope: 'read',
    summary: 'Cached results of tasks',
    query: filter.extend({ limit: integerFrom(1).max(10_000).default(1000) }),
    answers: okAnswer('The results, without their values', z.array(entry)),
    errors: [404],
    async handle({ query: { limit, ...filter } }, services) {
      const results: z.input<typeof entry>[] = [];
      for await (const { outcome: _, created_at, expires_at, ...one } of storeOf(services).entries(filter)) {
        results.push({
          ...one,
          created_at: new Date(created_at).toISOString(),
          expires_at: new Date(expires_at).toISOString(),
        });
        if (results.length === limit) break;
      }
      return results;
    },
  }),
  route('DELETE /api/cache', {
    scope: 'run',
    summary: 'Clear cached results: those of a filter, or all',
    query: filter,
    answers: okAnswer('How many', z.object({ cleared: z.int() })),
    errors: [404],
    handle: async ({ query }, services) => ({ cleared: await storeOf(services).clear(query) }),
  }),
];
