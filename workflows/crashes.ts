/** How often Temporal runs an activity again whose worker was lost. */
import { type RetryPolicy } from '@temporalio/common';

/** Of tasks without heartbeats: what lost its worker is known by its time limit only. */
export const SILENT_CRASH_RETRY: RetryPolicy = {
  // A task that kills its worker must not take the whole pool with it.
  maximumAttempts: 3,
  initialInterval: 1000,
  backoffCoefficient: 2,
};

/** Of the others: whoever went on with heartbeats until the time limit was not lost, and would only hang again. */
export const CRASH_RETRY: RetryPolicy = {
  ...SILENT_CRASH_RETRY,
  nonRetryableErrorTypes: ['TemporalTimeout:StartToClose'],
};
