/** Test workflow: one activity of a kind on that kind's queue, as the driver schedules it. */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
} from '@temporalio/workflow';
import { type Outcome, type TaskCall } from '../../../src/language/plan';

export interface OneTask {
  readonly call: TaskCall;
  readonly queue: string;
  readonly heartbeatTimeout: number;
  readonly startToClose: number;
  /** Executions at most; default 3. */
  readonly attempts?: number;
}

/** The outcome, whichever way it comes; a cancellation passes. */
export async function oneTask(task: OneTask): Promise<Outcome> {
  const { call, queue, heartbeatTimeout, startToClose, attempts = 3 } = task;
  const activities = proxyActivities<Record<string, (call: TaskCall) => Promise<Outcome>>>({
    taskQueue: queue,
    activityId: call.task_run_id,
    heartbeatTimeout: heartbeatTimeout * 1000,
    startToCloseTimeout: startToClose * 1000,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: attempts, initialInterval: 100, backoffCoefficient: 1 },
  });
  try {
    return await activities[call.kind]!(call);
  } catch (error) {
    if (
      error instanceof ActivityFailure &&
      error.cause instanceof ApplicationFailure &&
      error.cause.details?.[0]
    ) {
      return error.cause.details[0] as Outcome;
    }
    throw error;
  }
}
