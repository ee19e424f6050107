/**
 * The task queues of NoETL's kinds from Temporal: their backlog and their live workers. Temporal lists a poller for five
 * minutes after its last poll; workers that shut down properly are known earlier.
 */
import { type Client } from '@temporalio/client';
import { TOOL_KINDS } from '../../../language/plan';
import {
  poolOf,
  type QueueSigns,
  signsOf,
  taskQueue,
  WORKFLOW_TASK_QUEUE,
  workerSigns,
} from '../../../temporal/client';

export interface Queue extends QueueSigns {
  /** Kind of the tasks; `workflows` for the engine's own. */
  readonly kind: string;
  /** Of workers; null for the default one. */
  readonly pool: string | null;
}

export interface Poller {
  /** Of the process: `pid@host` unless configured. */
  readonly identity: string;
  /** Kinds whose tasks it takes; `workflows` for the engine's own. */
  readonly kinds: readonly string[];
  readonly taskQueues: readonly string[];
  /** Milliseconds since the epoch: its last poll. */
  readonly lastAccess: number;
}

/** @param pools dedicated pools of workers, besides the default one and those whose workers say that they live */
export async function queues(client: Client, pools: readonly string[] = []): Promise<Queue[]> {
  const kinds = Object.keys(TOOL_KINDS).sort();
  const all = [
    { kind: 'workflows', pool: null, name: WORKFLOW_TASK_QUEUE, type: 'workflow' as const },
    ...[...new Set([null, ...pools, ...(await livePools(client, kinds))])].flatMap((pool) =>
      kinds.map((kind) => ({
        kind,
        pool,
        name: taskQueue(kind, pool ?? undefined),
        type: 'activity' as const,
      })),
    ),
  ];
  return await Promise.all(
    all.map(async ({ kind, pool, ...queue }) => ({ kind, pool, ...(await signsOf(client, queue)) })),
  );
}

async function livePools(client: Client, kinds: readonly string[]): Promise<readonly string[]> {
  const { queues: served } = await workerSigns(client);
  return served.flatMap(
    (name) => kinds.map((kind) => poolOf(name, kind)).find((pool) => pool !== null) ?? [],
  );
}

/** The live workers, each with all of its queues. @param pools dedicated pools, besides the default one */
export async function livePollers(client: Client, pools: readonly string[] = []): Promise<Poller[]> {
  const all = await queues(client, pools);
  const identities = [...new Set(all.flatMap(({ pollers }) => [...pollers.keys()]))].sort();
  return identities.map((identity) => {
    const own = all.filter(({ pollers }) => pollers.has(identity));
    return {
      identity,
      kinds: [...new Set(own.map(({ kind }) => kind))].sort(),
      taskQueues: own.map(({ name }) => name).sort(),
      lastAccess: Math.max(...own.map(({ pollers }) => pollers.get(identity)!)),
    };
  });
}
