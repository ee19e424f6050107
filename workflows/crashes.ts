/** How often Temporal retries an activity whose worker was lost. */
import { type RetryPolicy } from '@temporalio/common';

/** For tasks without heartbeats: only their time limit reveals that their worker was lost. */
export const SILENT_CRASH_RETRY: RetryPolicy = {
  // A task that kills its worker must not take down the whole pool.
  maximumAttempts: 3,
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
