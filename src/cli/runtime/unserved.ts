/** Whether a task queue has workers: without any, tasks wait silently. */
import { temporal } from '@temporalio/proto';
import { taskQueue } from '../../plan';
import { type Session } from './session';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** Whether activities of the queue have been polled within minutes; undefined if the server does not report it. */
export async function isServed(queue: string, { connection, target }: Session): Promise<boolean | undefined> {
  const description = await connection.workflowService
    .describeTaskQueue({
      namespace: target.namespace,
      taskQueue: { name: queue },
      taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
    })
    .catch(() => undefined);
  return description && Boolean(description.pollers?.length);
}

/**
 * Reports kinds of extensions without workers.
 *
 * @param kinds not served by workers of this process
 */
export async function tellUnserved(
  kinds: readonly string[],
  session: Session,
  write: (text: string) => void,
): Promise<void> {
  for (const kind of kinds) {
    const queue = taskQueue(kind);
    if ((await isServed(queue, session)) === false)
      write(`no worker serves the kind ${kind} yet: its tasks wait until one polls ${queue}\n`);
  }
}
