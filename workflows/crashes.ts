/** How often Temporal runs an activity again whose worker was lost. */
import { type RetryPolicy } from '@temporalio/common';

/** A task that kills its worker must not take the whole pool with it. */
export const CRASH_RETRY: RetryPolicy = { maximumAttempts: 3, initialInterval: 1000, backoffCoefficient: 2 };
