/** How often Temporal retries an activity whose worker was lost. */
import { type RetryPolicy } from '@temporalio/common';
import { type ActivityOptions } from '@temporalio/workflow';
import { MAX_BEGUN, MAX_FREE } from '../src/language/plan';

/** For tasks without heartbeats: only their time limit reveals that their worker was lost. */
export const SILENT_CRASH_RETRY: RetryPolicy = {
  maximumAttempts: MAX_BEGUN,
  initialInterval: 1000,
  backoffCoefficient: 2,
};

/**
 * For tasks with heartbeats: a worker that kept sending them until the time limit was not lost, and would only hang
 * again.
 */
export const CRASH_RETRY: RetryPolicy = {
  ...SILENT_CRASH_RETRY,
  nonRetryableErrorTypes: ['TemporalTimeout:StartToClose'],
};

/**
 * For tools of this runtime: their workers fail an activity whose task began `MAX_BEGUN` times, and say in heartbeats
 * which executions did not begin. A worker that is alive ends the task itself before Temporal's time limit
 * (activities/framework/activity/last-resort.ts), so that the limit, too, tells of a lost worker.
 */
export const COUNTED_CRASH_RETRY: RetryPolicy = {
  ...SILENT_CRASH_RETRY,
  maximumAttempts: MAX_BEGUN + MAX_FREE,
  maximumInterval: '15s',
};

/**
 * For reading a playbook, which has no effects: a catalog, a network or workers that are away are waited for, ten minutes to
 * half an hour. A playbook that is not there is refused at once.
 */
export const RESOLVING: ActivityOptions = {
  startToCloseTimeout: '20s',
  retry: { initialInterval: 1000, backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 60 },
};
