/** `/api/worker/…`: the workers. They need not register: Temporal knows the pollers of its queues. */
import { z } from 'zod';
import { okAnswer, type Route, route } from '../http/route';
import { type FacadeServices } from '../services';
import { livePollers, type Poller, queues } from '../workers/queues';

const pool = z
  .object({
    name: z.string(),
    runtime: z.object({ type: z.literal('temporal'), hostname: z.string(), pid: z.number().nullable() }),
    status: z.enum(['ready', 'stale']).meta({
      description: 'stale: it has not polled for 75 s; workers that were shut down are not listed',
    }),
    capacity: z.number().meta({ description: 'Task queues that it polls' }),
    labels: z.record(z.string(), z.string()),
    kinds: z.array(z.string()),
    task_queues: z.array(z.string()),
    heartbeat: z.iso.datetime(),
    created_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WorkerPool' });

const queue = z
  .object({
    name: z.string(),
    kind: z.string(),
    backlog: z.number().meta({ description: 'Tasks that wait for a worker, about' }),
    backlog_age_seconds: z.number().meta({ description: 'How long the oldest of them has waited' }),
    pool: z.string().nullable().meta({ description: 'Of workers; null for the default one' }),
    pollers: z.array(z.string()).meta({ description: 'Workers that ask for its tasks' }),
    served: z.boolean().meta({
      description: 'Whether any of its workers has polled or sent a heartbeat in the last 65 s',
    }),
    last_seen: z.iso.datetime().nullable().meta({
      description: 'The last sign of life of a worker; null if there was none, as far as Temporal remembers',
    }),
  })
  .meta({ id: 'TaskQueue' });

const ofPool = z.object({
  pool: z.string().max(100).optional().meta({ description: 'Include worker pools with this name' }),
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

export function workerRoutes({ client }: FacadeServices): readonly Route[] {
  return [
    route('GET /api/worker/pools', {
      scope: 'read',
      summary: 'Live workers: those that poll the task queues',
      query: ofPool,
      answers: okAnswer('A line a process', z.object({ items: z.array(pool), count: z.number() })),
      async handle({ query }) {
        const pollers = await livePollers(client, query.pool === undefined ? [] : [query.pool]);
        const items = pollers.map((one) => documentOf(one, Date.now()));
        return { items, count: items.length };
      },
    }),
    queueRoute(client),
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
}

function queueRoute(client: FacadeServices['client']): Route {
  return route('GET /api/worker/queues', {
    scope: 'read',
    summary: 'The task queues: what waits in each, and who takes it',
    description: 'A queue without pollers keeps its tasks until a worker of its kind comes.',
    query: ofPool,
    answers: okAnswer('A line a queue', z.object({ queues: z.array(queue) })),
    handle: async ({ query }) => ({
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
  });
}

function documentOf({ identity, kinds, taskQueues, lastAccess }: Poller, now: number): z.input<typeof pool> {
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
