/** `/api/worker/…`: the workers. They need not register: Temporal knows the pollers of its queues. */
import { z } from 'zod';
import { livePollers, type Poller, queues } from '../workers/queues';
import { workerPool, taskQueueSchema } from '../documents/server';
import { okAnswer, route } from './declare';

const ofPool = z.object({
  pool: z.string().max(100).optional().describe('Include worker pools with this name'),
});

/** Milliseconds; an idle worker polls every minute: one that missed this has died. */
const STALE_MS = 75_000;

const registration = z.looseObject({ name: z.string().max(255).optional() });

const REGISTRATIONS = [
  ['POST /api/worker/pool/register', 'register'],
  ['POST /api/worker/pool/heartbeat', 'heartbeat'],
  ['POST /api/worker/pool/deregister', 'deregister'],
  ['DELETE /api/worker/pool/deregister', 'deregister'],
] as const;

export const workerRoutes = [
  route('GET /api/worker/pools', {
    scope: 'read',
    summary: 'Live workers: those that poll the task queues',
    query: ofPool,
    answers: okAnswer('A line a process', z.object({ items: z.array(workerPool), count: z.number() })),
    async handle({ query }, { client }) {
      const pollers = await livePollers(client, query.pool === undefined ? [] : [query.pool]);
      const items = pollers.map((one) => documentOf(one, Date.now()));
      return { items, count: items.length };
    },
  }),
  route('GET /api/worker/queues', {
    scope: 'read',
    summary: 'The task queues: what waits in each, and who takes it',
    description: 'A queue without pollers keeps its tasks until a worker of its kind comes.',
    query: ofPool,
    answers: okAnswer('A line a queue', z.object({ queues: z.array(taskQueueSchema) })),
    handle: async ({ query }, { client }) => ({
      queues: (await queues(client, query.pool === undefined ? [] : [query.pool])).map(
        ({ backlogAge, seenAt, isServed, ...one }) => ({
          ...one,
          pollers: [...one.pollers.keys()].sort(),
          backlog_age_seconds: backlogAge,
          served: isServed,
          last_seen: seenAt === undefined ? null : new Date(seenAt).toISOString(),
        }),
      ),
    }),
  }),
  ...REGISTRATIONS.map(([endpoint, what]) =>
    route(endpoint, {
      scope: 'worker',
      summary: `A request of workers of the official server (${what}): has no effect here`,
      body: registration,
      answers: okAnswer(
        'Understood',
        z.object({ status: z.literal('ok'), name: z.string().nullable(), message: z.string() }),
      ),
      handle: ({ body }) => ({
        status: 'ok',
        name: body.name ?? null,
        message: 'workers of this server poll Temporal: start one with `noetl-temporal worker`',
      }),
    }),
  ),
];

function documentOf(
  { identity, kinds, taskQueues, lastAccess }: Poller,
  now: number,
): z.input<typeof workerPool> {
  const [, pid, hostname] = /^(\d+)@(.+)$/.exec(identity) ?? [];
  const seen = new Date(lastAccess).toISOString();
  return {
    name: identity,
    runtime: {
      type: 'temporal',
      hostname: hostname ?? identity,
      pid: pid === undefined ? null : Number(pid),
    },
    status: now - lastAccess > STALE_MS ? 'stale' : 'ready',
    capacity: taskQueues.length,
    labels: {},
    kinds: [...kinds],
    task_queues: [...taskQueues],
    heartbeat: seen,
    created_at: null,
    updated_at: seen,
  };
}
