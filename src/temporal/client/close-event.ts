/** The last event of a closed run: how it ended, without the rest of its history. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type VisibleExecution } from './visibility';

const CLOSE_EVENT = temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

/** @returns undefined if the history has expired */
export async function closeEvent(
  client: Client,
  { workflowId, runId }: Pick<VisibleExecution, 'workflowId' | 'runId'>,
): Promise<temporal.api.history.v1.IHistoryEvent | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    historyEventFilterType: CLOSE_EVENT,
  });
  return history?.events?.at(-1) ?? undefined;
}
