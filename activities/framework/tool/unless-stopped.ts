/** For clients that cannot be cancelled: the task ends in time, and a late result is discarded. */
import { type Deadline } from './deadline';

/** Resolves with `work` unless the task must stop first. @throws ToolError of the deadline */
export async function unlessStopped<T>(
  work: Promise<T>,
  deadline: Pick<Deadline, 'signal' | 'reason'>,
): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(deadline.reason() ?? new Error('aborted'));
    if (deadline.signal.aborted) stop();
    deadline.signal.addEventListener('abort', stop, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    deadline.signal.removeEventListener('abort', stop);
  }
}
