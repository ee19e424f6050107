/**
 * The same for many executions: rerun, cancel, pause, resume, replay. It lives in a workflow, so that killing the
 * command, the facade or a worker only delays it. Each batch is an activity that may be repeated: signals are harmless
 * twice, and the ids of reruns depend on the operation alone (`rerunIdOf`).
 */
import {
  ActivityCancellationType,
  CancellationScope,
  CancelledFailure,
  makeContinueAsNewFunc,
  scheduleActivity,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BULK_ACTIVITY,
  BULK_TASK_QUEUE,
  type BulkBatch,
  type BulkInput,
  type BulkOutcome,
} from '../src/language/plan';

/** A larger batch would save little history and lose more work with its worker. */
const LARGEST_BATCH = 20;

/** @returns how many executions it handled; readers take the outcomes from history */
export async function bulkOperation(input: BulkInput): Promise<number> {
  const { bulk, verb, executions, options, perSecond } = input;
  const outcomes = [...(input.outcomes ?? [])];
  const size = Math.min(LARGEST_BATCH, Math.max(1, Math.floor(perSecond)));
  while (outcomes.length < executions.length) {
    if (workflowInfo().continueAsNewSuggested) {
      const next = makeContinueAsNewFunc<typeof bulkOperation>({ memo: workflowInfo().memo });
      await next({ ...input, outcomes });
    }
    const began = Date.now();
    const first = outcomes.length;
    const batch: BulkBatch = {
      bulk,
      verb,
      options,
      first,
      executions: executions.slice(first, first + size),
      ...(input.revision && { runId: workflowInfo().runId }),
    };
    outcomes.push(...(await carryOut(batch)));
    // A batch under way is finished: what it did is known.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
    const rest = (batch.executions.length / perSecond) * 1000 - (Date.now() - began);
    if (rest > 0 && outcomes.length < executions.length) await sleep(rest);
  }
  return outcomes.length;
}

/** Repeated until it succeeds: what fails for one execution is its outcome, everything else is an outage. */
async function carryOut(batch: BulkBatch): Promise<BulkOutcome[]> {
  return await scheduleActivity<BulkOutcome[]>(BULK_ACTIVITY, [batch], {
    taskQueue: BULK_TASK_QUEUE,
    summary: `${batch.verb} ${batch.first + 1} to ${batch.first + batch.executions.length}`,
    startToCloseTimeout: '10m',
    heartbeatTimeout: '15s',
    retry: { initialInterval: 1000, maximumInterval: '30s' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}
