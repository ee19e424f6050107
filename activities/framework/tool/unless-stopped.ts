/** For clients that cannot be cancelled: the task ends in time, and a late result is discarded. */
import { type Deadline } from './deadline';

/** Resolves with `work` unless the task must stop first. @throws ToolError of the deadline, if it has one */
export async function unlessStopped<T>(
  work: Promise<T>,
  { signal, reason }: Pick<Deadline, 'signal'> & Partial<Pick<Deadline, 'reason'>>,
): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(reason?.() ?? new Error('aborted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
