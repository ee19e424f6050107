/** The task queues of NoETL's kinds: their backlog and their workers. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { TOOL_KINDS } from '../../plan';
import { taskQueue, WORKFLOW_TASK_QUEUE } from '../../temporal';
import { millisOf } from '../executions/words';
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
  /** Identities of the workers that poll it. */
  readonly pollers: readonly string[];
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
      const living = (pollers ?? []).filter(
        ({ identity, lastAccessTime }) => !hasEnded(identity ?? '', name, millisOf(lastAccessTime)),
      );
      return {
        kind,
        name,
        backlog: Number(stats?.approximateBacklogCount ?? 0),
        backlogAge: Number(stats?.approximateBacklogAge?.seconds ?? 0),
        pollers: [...new Set(living.map(({ identity }) => identity ?? ''))].sort(),
      };
    }),
  );
}
