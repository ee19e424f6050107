/** Workers that said goodbye: what the SDK tells the server when one is shut down. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { millisOf } from '../executions/words';

const { WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN } = temporal.api.enums.v1.WorkerStatus;

/** Whether the worker of a process for a queue has ended, which was seen to poll at a time (milliseconds). */
export type HasEnded = (identity: string, queue: string, polled: number) => boolean;

/** A server that keeps no list of workers knows of nobody who ended. */
export async function endedWorkers(client: Client): Promise<HasEnded> {
  const ended = new Map<string, number>();
  let nextPageToken: Uint8Array | undefined;
  try {
    do {
      const page = await client.workflowService.listWorkers({
        namespace: client.options.namespace,
        pageSize: 1000,
        ...(nextPageToken && { nextPageToken }),
      });
      for (const { workerHeartbeat: told } of page.workersInfo ?? []) {
        if (!told?.status || !LEAVING.includes(told.status)) continue;
        const key = keyOf(told.workerIdentity ?? '', told.taskQueue ?? '');
        ended.set(key, Math.max(ended.get(key) ?? 0, millisOf(told.heartbeatTime)));
      }
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
    } while (nextPageToken);
  } catch {
    return () => false;
  }
  // A process may have started another worker for the queue since: that one has polled later.
  return (identity, queue, polled) =>
    polled <= (ended.get(keyOf(identity, queue)) ?? -Infinity) + LAST_POLL_MS;
}

/** It says goodbye first; the poll that it has open is closed, and seen by the server, a little later. */
const LAST_POLL_MS = 2000;

const LEAVING: readonly number[] = [WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN];

function keyOf(identity: string, queue: string): string {
  return `${identity}\n${queue}`;
}
