/**
 * Live workers: the recent pollers of the task queues of NoETL's kinds, from Temporal. It lists a poller for five
 * minutes after its last poll; workers that shut down properly are known earlier (`ended.ts`).
 */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { KINDS } from '../../dsl';
import { taskQueue, WORKFLOW_TASK_QUEUE } from '../../temporal';
import { millisOf } from '../executions/words';
import { endedWorkers } from './ended';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

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
export async function livePollers(client: Client, pools: readonly string[] = []): Promise<Poller[]> {
  const kinds = Object.keys(KINDS);
  const queues = [
    { kind: 'workflows', name: WORKFLOW_TASK_QUEUE, type: TASK_QUEUE_TYPE_WORKFLOW },
    ...[undefined, ...pools].flatMap((pool) =>
      kinds.map((kind) => ({ kind, name: taskQueue(kind, pool), type: TASK_QUEUE_TYPE_ACTIVITY })),
    ),
  ];
  const byIdentity = new Map<string, { kinds: Set<string>; queues: Set<string>; lastAccess: number }>();
  const hasEnded = await endedWorkers(client);
  await Promise.all(
    queues.map(async ({ kind, name, type }) => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name },
        taskQueueType: type,
      });
      for (const { identity, lastAccessTime } of pollers ?? []) {
        const polled = millisOf(lastAccessTime);
        if (hasEnded(identity ?? '', name, polled)) continue;
        const poller = byIdentity.get(identity ?? '') ?? {
          kinds: new Set(),
          queues: new Set(),
          lastAccess: 0,
        };
        poller.kinds.add(kind);
        poller.queues.add(name);
        poller.lastAccess = Math.max(poller.lastAccess, polled);
        byIdentity.set(identity ?? '', poller);
      }
    }),
  );
  return [...byIdentity]
    .map(([identity, one]) => ({
      identity,
      kinds: [...one.kinds].sort(),
      taskQueues: [...one.queues].sort(),
      lastAccess: one.lastAccess,
    }))
    .sort((a, b) => (a.identity < b.identity ? -1 : 1));
}
