/** Limits by key: which keys are in use, by whom, and who waits. */
import { z } from 'zod';
import { type KeeperView } from '../../plan';
import { limitsInUse } from '../../temporal';
import { ok, type Route, route } from '../http/route';
import { type FacadeServices } from '../services';

const entry = z
  .object({ execution_id: z.string(), since: z.iso.datetime() })
  .meta({ id: 'LimitEntry', description: 'An execution, and since when it holds the key or waits for it' });

const limit = z
  .object({
    of: z.enum(['concurrency', 'debounce', 'rate']),
    scope: z.string().meta({ description: 'The path of the playbook, unless it names a scope' }),
    key: z.string(),
    limit: z.number().nullable(),
    holders: z.array(entry).nullable().meta({ description: 'null: no workflow worker answered' }),
    waiting: z.array(entry).nullable().meta({ description: 'In the order in which they will begin' }),
  })
  .meta({ id: 'LimitInUse' });

export function limits({ client }: FacadeServices): readonly Route[] {
  return [
    route('GET /api/limits', {
      scope: 'read',
      summary: 'The keys of limits that are in use: which executions hold them, and which wait',
      query: z.object({
        of: z.enum(['concurrency', 'debounce', 'rate']).optional(),
        scope: z.string().optional(),
        key: z.string().optional(),
      }),
      answers: ok('At most 500 keys', z.object({ limits: z.array(limit) })),
      errors: [502],
      async handle({ query }) {
        const limits = await limitsInUse(client, query);
        return {
          limits: limits.map((one) => ({ ...one, holders: shown(one.holders), waiting: shown(one.waiting) })),
        };
      },
    }),
  ];
}

function shown(entries: KeeperView['holders'] | null) {
  return (
    entries &&
    entries.map(({ execution_id, since }) => ({ execution_id, since: new Date(since).toISOString() }))
  );
}
