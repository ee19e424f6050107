/** What nobody waited for: a client's promise that is rejected beside the call must not end the process of all tasks. */
import { asyncLocalStorage } from '@temporalio/activity';
import { type WorkerLog } from './log';

let guarded = false;

/**
 * Has stray rejections logged, with the task that they come from where that is known; Node would end the process. Later
 * calls do nothing.
 */
export function guardProcess(log: WorkerLog): void {
  if (guarded) return;
  guarded = true;
  process.on('unhandledRejection', (reason) => {
    const info = asyncLocalStorage.getStore()?.info;
    // Name and place only: the message may hold anything the task was given.
    const { name, stack } = reason instanceof Error ? reason : { name: typeof reason, stack: undefined };
    const at = /^ +at (.*)$/m.exec(stack ?? '')?.[1];
    log.error(
      {
        ...(info && { kind: info.activityType, task_run_id: info.activityId }),
        error: name,
        ...(at !== undefined && { at }),
      },
      'unhandled promise rejection; the worker continues',
    );
  });
}
