/** A long task in a workflow of its own, which survives the continue-as-new of its run. */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  scheduleActivity,
  setHandler,
} from '@temporalio/workflow';
import { limitInline, requestGrant, DEFAULT_INLINE_BYTES } from '../src/storage/payloads';
import { packOutcome, type WireOutcome } from '../src/language/plan';
import {
  cancelTaskSignal,
  type LongTaskInput,
  taskSettledSignal,
} from '../src/temporal/contract/definitions';
import { outcomeOfFailure } from '../src/temporal/contract/outcomes';

/**
 * Runs the task and reports its outcome to the run in every case; cancelled by signal, or by Temporal's own request.
 */
export async function task(input: LongTaskInput): Promise<void> {
  const { taskRunId, kind, call, options, callerWorkflowId, grant } = input;
  const scheduledAt = Date.now();
  const scope = new CancellationScope();
  setHandler(cancelTaskSignal, () => scope.cancel());
  await CancellationScope.nonCancellable(async () => {
    const limit = call.inline_bytes ?? DEFAULT_INLINE_BYTES;
    const outcome = await scope
      .run(() =>
        scheduleActivity<WireOutcome>(kind, [requestGrant(limitInline(call, limit), grant)], options),
      )
      .catch((failure: unknown) => packOutcome(outcomeOfFailure(failure)));
    // Without a run id, the signal reaches the current run of the chain. A run that has ended does not need it.
    await getExternalWorkflowHandle(callerWorkflowId)
      .signal(taskSettledSignal, taskRunId, limitInline(outcome, limit), { scheduledAt })
      .catch(() => undefined);
  });
}
