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
  waitingTasksOfAll,
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

type QueueName = Pick<Queue, 'kind' | 'pool' | 'name'> & { readonly type: 'workflow' | 'activity' };

/**
 * Those of all kinds, of the given pools, of live workers, and those in which something waits.
 *
 * @param pools dedicated pools of workers, besides the default one
 */
export async function queues(client: Client, pools: readonly string[] = []): Promise<Queue[]> {
  const kinds = Object.keys(TOOL_KINDS).sort();
  const ofPools = [null, ...pools].flatMap((pool) =>
    kinds.map((kind): QueueName => ({
      kind,
      pool,
      name: taskQueue(kind, pool ?? undefined),
      type: 'activity',
    })),
  );
  const [{ queues: served }, waiting] = await Promise.all([workerSigns(client), waitingQueues(client)]);
  const live = served.flatMap((name) =>
    kinds.flatMap((kind): QueueName[] => {
      const pool = poolOf(name, kind);
      return pool === null ? [] : [{ kind, pool, name, type: 'activity' }];
    }),
  );
  const workflows: QueueName = { kind: 'workflows', pool: null, name: WORKFLOW_TASK_QUEUE, type: 'workflow' };
  const all = new Map(
    [workflows, ...ofPools, ...live, ...waiting].map((one) => [`${one.type} ${one.name}`, one]),
  );
  return await Promise.all(
    [...all.values()].map(async ({ kind, pool, ...queue }) => ({
      kind,
      pool,
      ...(await signsOf(client, queue)),
    })),
  );
}

/** A queue whose tasks wait is looked at from then on: names of pools are chosen by whoever writes playbooks. */
const MOST_REMEMBERED = 100;
const remembered = new WeakMap<Client, Map<string, QueueName>>();

async function waitingQueues(client: Client): Promise<readonly QueueName[]> {
  const waiting = remembered.get(client) ?? new Map<string, QueueName>();
  remembered.set(client, waiting);
  for (const { queue: name, kind, type } of await waitingTasksOfAll(client).catch(() => []))
    if (waiting.size < MOST_REMEMBERED) waiting.set(name, { kind, pool: poolOf(name, kind), name, type });
  return [...waiting.values()];
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
