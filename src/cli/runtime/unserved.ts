/** Tells of tasks that wait for workers which do not exist: silently, otherwise. */
import { type Client } from '@temporalio/client';
import { type UnservedQueue, unservedQueues } from '../../temporal/client';
import { unservedText } from '../output/unserved-text';

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
