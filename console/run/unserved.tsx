/** Tasks in queues without workers: no event reports them. */
import { type JSX } from 'preact';
import { ago, duration } from '../parts/time';
import { type ServedExecution } from '../../src/server/facade/documents';
import { useDocument } from '../server/use';

const EVERY_MS = 5_000;

export interface Now {
  readonly summary?: ServedExecution;
  readonly queues: ServedExecution['unserved'];
  /** Ids of the waiting tasks. */
  readonly tasks: ReadonlySet<string>;
}

/** What the server knows about a run besides its events. @param over it has ended */
export function useSummary(id: string, over: boolean): Now {
  const { value: summary } = useDocument<ServedExecution>(
    `/api/executions/${id}/summary`,
    over ? undefined : EVERY_MS,
  );
  const queues = over ? [] : (summary?.unserved ?? []);
  const tasks = new Set(queues.flatMap((one) => one.task_run_ids));
  return { queues, tasks, ...(summary && { summary }) };
}

export function UnservedNote({ queues }: { queues: ServedExecution['unserved'] }): JSX.Element {
  return (
    <>
      {queues.map(({ queue, waiting, since, last_seen, fix }) => (
        <p key={queue} class="lost unserved" role="alert" data-unserved-queue={queue}>
          {waiting === 1 ? 'A task waits' : `${String(waiting)} tasks wait`} in <code>{queue}</code>, for{' '}
          {duration(Math.max(0, Date.now() - Date.parse(since)))} now, and no worker takes{' '}
          {waiting === 1 ? 'it' : 'them'}
          {last_seen !== null && ` (the last was seen ${ago(last_seen)})`}.{' '}
          {fix === null ? 'The command that started it is gone.' : <code>{fix}</code>}
        </p>
      ))}
    </>
  );
}
