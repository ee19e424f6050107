/** Unhandled rejections: a client's promise rejected outside a call must not end the process of all tasks. */
import { asyncLocalStorage } from '@temporalio/activity';
import { type WorkerLog } from './log';
import { compact } from '../../language/plan';

let guarded = false;

/** Logs unhandled rejections, with their task if known; Node would end the process. Later calls do nothing. */
export function guardProcess(log: WorkerLog): void {
  if (guarded) return;
  guarded = true;
  process.on('unhandledRejection', (reason) => {
    const info = asyncLocalStorage.getStore()?.info;
    // Name and location only: the message may contain the task's data.
    const { name, stack } = reason instanceof Error ? reason : { name: typeof reason, stack: undefined };
    const at = /^ +at (.*)$/m.exec(stack ?? '')?.[1];
    log.error(
      {
        ...(info && { kind: info.activityType, task_run_id: info.activityId }),
        error: name,
        ...compact({ at }),
      },
      'unhandled promise rejection; the worker continues',
    );
  });
}
