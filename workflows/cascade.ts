/**
 * The mark that an execution was cancelled with all that it started (docs/design/executions.md#cancelling-a-family): that
 * it exists says so, from the moment the server has it. Whoever left it cancels them all; should its process end before it
 * has, the rest is cancelled here.
 */
import { scheduleActivity, sleep, workflowInfo } from '@temporalio/workflow';
import { CASCADE_ACTIVITY, type CascadeInput } from '../src/language/plan';

export async function cascade(input: CascadeInput): Promise<void> {
  await sleep(input.within, { summary: 'whoever asked cancels them' });
  await scheduleActivity(CASCADE_ACTIVITY, [input], {
    taskQueue: workflowInfo().taskQueue,
    startToCloseTimeout: '5 minutes',
    summary: 'cancel what is left',
  });
}
