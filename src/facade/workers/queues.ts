/**
 * The task queues of NoETL's kinds from Temporal: their backlog and their live workers. Temporal lists a poller for five
 * minutes after its last poll; workers that shut down properly are known earlier (`ended.ts`).
 */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { millis } from '../../history';
import { TOOL_KINDS } from '../../plan';
import { taskQueue, WORKFLOW_TASK_QUEUE } from '../../temporal';
import { endedWorkers } from './ended';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

export interface Queue {
  readonly name: string;
  /** Kind of the tasks; `workflows` for the engine's own. */
  readonly kind: string;
  /** Approximate number of waiting tasks. */
  readonly backlog: number;
  /** Age of the oldest waiting task, in seconds. */
  readonly backlogAge: number;
  /** The workers that poll it, by identity, with their last poll in milliseconds since the epoch. */
  readonly pollers: ReadonlyMap<string, number>;
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

/** @param pools dedicated pools of workers, besides the default one */
export async function queues(client: Client, pools: readonly string[] = []): Promise<Queue[]> {
  const hasEnded = await endedWorkers(client);
  const kinds = Object.keys(TOOL_KINDS).sort();
  const all = [
    { kind: 'workflows', name: WORKFLOW_TASK_QUEUE, taskQueueType: TASK_QUEUE_TYPE_WORKFLOW },
    ...[undefined, ...pools].flatMap((pool) =>
      kinds.map((kind) => ({ kind, name: taskQueue(kind, pool), taskQueueType: TASK_QUEUE_TYPE_ACTIVITY })),
    ),
  ];
  return await Promise.all(
    all.map(async ({ kind, name, taskQueueType }): Promise<Queue> => {
      const { pollers, stats } = await client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name },
        taskQueueType,
        reportStats: true,
      });
      const polls = (pollers ?? [])
        .map(({ identity, lastAccessTime }) => [identity ?? '', millis(lastAccessTime)] as const)
        .filter(([identity, polled]) => !hasEnded(identity, name, polled))
        .sort(([, a], [, b]) => a - b);
      return {
        kind,
        name,
        backlog: Number(stats?.approximateBacklogCount ?? 0),
        backlogAge: Number(stats?.approximateBacklogAge?.seconds ?? 0),
        pollers: new Map(polls),
      };
    }),
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
