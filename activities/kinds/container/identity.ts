/**
 * Identifies containers. A worker may die while its container runs: the next attempt of the same task run finds the
 * container by its labels and continues with it; those of other attempts of the same work are removed.
 */
import { createHash } from 'node:crypto';
import { type TaskCall } from '../../../src/language/plan';

export const LABEL_EXECUTION = 'io.noetl.execution';
export const LABEL_TASK_RUN = 'io.noetl.task-run';
export const LABEL_WORK = 'io.noetl.work';

export interface ContainerIdentity {
  /** One per task run: the engine refuses a second container while the first exists. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Names and values are hashes, because Kubernetes restricts their characters. */
export function containerIdentity(call: TaskCall): ContainerIdentity {
  const taskRun = `${call.execution_id}/${call.task_run_id}`;
  return {
    name: `noetl-${short(taskRun)}`,
    labels: {
      [LABEL_EXECUTION]: call.execution_id,
      [LABEL_TASK_RUN]: short(taskRun),
      [LABEL_WORK]: short(call.idempotency_key),
    },
  };
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
