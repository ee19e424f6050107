/** `/api/cache`: results of tasks that equal calls may reuse (`spec.cache`). */
import { z } from 'zod';
import { noStorage } from '../http/errors';
import { okAnswer, type Route, route } from '../http/route';
import { type FacadeServices } from '../services';

const filter = z.object({
  path: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Of the playbook; `a/b/*` for all below a/b' }),
  step: z.string().min(1).max(300).optional(),
  expired: z.stringbool().optional().meta({ description: 'true: only those that no call would reuse' }),
});

const entry = z
  .object({
    path: z.string(),
    step: z.string(),
    task: z.string(),
    kind: z.string(),
    digest: z.string().meta({ description: 'Of everything that the result depends on' }),
    execution_id: z.string().meta({ description: 'The execution that ran the task' }),
    task_run_id: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'CachedResult' });

export function cacheRoutes({ cache }: FacadeServices): readonly Route[] {
  const store = (): NonNullable<typeof cache> => {
    if (cache) return cache;
    throw noStorage('cached results are');
  };
  return [
    route('GET /api/cache', {
      scope: 'read',
      summary: 'Cached results of tasks',
      query: filter.extend({ limit: z.coerce.number().int().min(1).max(10_000).default(1000) }),
      answers: okAnswer('The results, without their values', z.array(entry)),
      errors: [404],
      async handle({ query: { limit, ...filter } }) {
        const results: z.input<typeof entry>[] = [];
        for await (const { outcome: _, created_at, expires_at, ...one } of store().entries(filter)) {
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
      async handle({ query }) {
        return { cleared: await store().clear(query) };
      },
    }),
  ];
}
