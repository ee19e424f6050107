/** Workers that have shut down, as the SDK reports to the server. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { millis } from '../../history';
import { compact } from '../../plan';

const { WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN } = temporal.api.enums.v1.WorkerStatus;

/** Whether the worker of a process for a queue has ended; `polled` is its last poll (milliseconds). */
export type HasEnded = (identity: string, queue: string, polled: number) => boolean;

/** A server without a list of workers reports none as ended. */
export async function endedWorkers(client: Client): Promise<HasEnded> {
  const ended = new Map<string, number>();
  let nextPageToken: Uint8Array | undefined;
  try {
    do {
      const page = await client.workflowService.listWorkers({
        namespace: client.options.namespace,
        pageSize: 1000,
        ...compact({ nextPageToken }),
      });
      for (const { workerHeartbeat: heartbeat } of page.workersInfo ?? []) {
        if (!heartbeat?.status || !LEAVING.includes(heartbeat.status)) continue;
        const key = keyOf(heartbeat.workerIdentity ?? '', heartbeat.taskQueue ?? '');
        ended.set(key, Math.max(ended.get(key) ?? 0, millis(heartbeat.heartbeatTime)));
      }
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
    } while (nextPageToken);
  } catch {
    return () => false;
  }
  // The process may have started another worker for the queue since; that one has polled later.
  return (identity, queue, polled) =>
    polled <= (ended.get(keyOf(identity, queue)) ?? -Infinity) + LAST_POLL_MS;
}

/** A worker reports its shutdown first; the server sees its open poll closed slightly later. */
const LAST_POLL_MS = 2000;

const LEAVING: readonly number[] = [WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN];

function keyOf(identity: string, queue: string): string {
  return `${identity}\n${queue}`;
}
