/** Kinds of extensions that nobody serves: their tasks wait without a word, so `run` has one. */
import { temporal } from '@temporalio/proto';
import { taskQueue } from '../../plan';
import { type Session } from './session';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** @param kinds that no worker of this process serves */
export async function tellUnserved(
  kinds: readonly string[],
  { connection, target }: Session,
  write: (text: string) => void,
): Promise<void> {
  for (const kind of kinds) {
    const queue = taskQueue(kind);
    const found = await connection.workflowService
      .describeTaskQueue({
        namespace: target.namespace,
        taskQueue: { name: queue },
        taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
      })
      .catch(() => undefined);
    if (found && !found.pollers?.length)
      write(`no worker serves the kind ${kind} yet: its tasks wait until one polls ${queue}\n`);
  }
}
