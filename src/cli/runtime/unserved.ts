/** Whether a task queue has workers: without any, tasks wait silently. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { taskQueue } from '../../language/plan';
import { type UnservedQueue, unservedQueues } from '../../temporal/client';
import { unservedText } from '../output/unserved-text';
import { type CliSession } from './session';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** Whether activities of the queue have been polled within minutes; undefined if the server does not report it. */
export async function isQueueServed(
  queue: string,
  { connection, target }: CliSession,
): Promise<boolean | undefined> {
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
  session: CliSession,
  write: (text: string) => void,
): Promise<void> {
  for (const kind of kinds) {
    const queue = taskQueue(kind);
    if ((await isQueueServed(queue, session)) === false)
      write(`no worker serves the kind ${kind} yet: its tasks wait until one polls ${queue}\n`);
  }
}

/** Tells each queue once, and that it is served again. */
export function unservedNotes(tell: (line: string) => void): (now: readonly UnservedQueue[]) => void {
  let before: ReadonlySet<string> = new Set();
  return (now) => {
    const queues = new Set(now.map(({ queue }) => queue));
    for (const one of now) if (!before.has(one.queue)) tell(unservedText(one, Date.now()));
    for (const queue of before) if (!queues.has(queue)) tell(`a worker serves ${queue} again`);
    before = queues;
  };
}

const LOOK_MS = 5_000;

/** Looks again and again. @returns stops it */
export function watchUnserved(client: Client, workflowId: string, tell: (line: string) => void): () => void {
  const note = unservedNotes(tell);
  let over = false;
  const look = (): void =>
    void unservedQueues(client, workflowId)
      .then((now) => over || note(now))
      .catch(() => undefined);
  const timer = setInterval(look, LOOK_MS);
  return () => {
    over = true;
    clearInterval(timer);
  };
}
