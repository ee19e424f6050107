/** One task that may take long, in a workflow of its own: it outlives the continuations of the run it belongs to. */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  scheduleActivity,
  setHandler,
} from '@temporalio/workflow';
import { limitInline, DEFAULT_INLINE_BYTES } from '../src/payloads';
import { packOutcome, type WireOutcome } from '../src/plan';
import { cancelTaskSignal, type LongTaskInput, taskSettledSignal } from './contract';
import { outcomeOfFailure } from './outcomes';

/** Runs the task and tells the run, whatever comes of it; cancelled by signal, or by Temporal's own cancel. */
export async function task(input: LongTaskInput): Promise<void> {
  const { taskRunId, kind, call, options, callerWorkflowId } = input;
  const scheduledAt = Date.now();
  const scope = new CancellationScope();
  setHandler(cancelTaskSignal, () => scope.cancel());
  await CancellationScope.nonCancellable(async () => {
    const limit = call.inline_bytes ?? DEFAULT_INLINE_BYTES;
    const outcome = await scope
      .run(() => scheduleActivity<WireOutcome>(kind, [limitInline(call, limit)], options))
      .catch((failure: unknown) => packOutcome(outcomeOfFailure(failure)));
    // No run id: the run of the chain that is there now. One that has ended does not need to know.
    await getExternalWorkflowHandle(callerWorkflowId)
      .signal(taskSettledSignal, taskRunId, limitInline(outcome, limit), { scheduledAt })
      .catch(() => undefined);
  });
}
