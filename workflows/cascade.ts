/**
 * The mark that an execution was cancelled with all that it started (docs/design/executions.md#cancelling-a-family): that
 * it exists says so, from the moment the server has it. Whoever left it cancels them all, and says when that is done; should
 * its process end before, the rest is cancelled here. Its start is delayed so long: one that is not needed runs once.
 */
import { defineSignal, scheduleActivity, setHandler, workflowInfo } from '@temporalio/workflow';
import { CASCADE_ACTIVITY, CASCADE_DONE_SIGNAL, type CascadeInput } from '../src/language/plan';

export async function cascade(input: CascadeInput): Promise<void> {
  let isDone = false;
  // What has come before the first workflow task is handled at once.
  setHandler(defineSignal(CASCADE_DONE_SIGNAL), () => void (isDone = true));
  if (isDone) return;
  await scheduleActivity(CASCADE_ACTIVITY, [input], {
    taskQueue: workflowInfo().taskQueue,
    startToCloseTimeout: '5 minutes',
    summary: 'cancel what is left',
  });
}
