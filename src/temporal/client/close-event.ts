/** The last event of a closed run: how it ended, without the rest of its history. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type VisibleExecution } from './visibility';

const CLOSE_EVENT = temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

/** When an execution has ended, the last event of its last run. @throws ServiceError */
export async function awaitedEnd(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
): Promise<temporal.api.history.v1.IHistoryEvent> {
  for (let [runId, nextPageToken] = ['', undefined as Uint8Array | undefined]; ;) {
    const answer = await workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      historyEventFilterType: CLOSE_EVENT,
      waitNewEvent: true,
      nextPageToken,
    });
    const event = answer.history?.events?.at(-1);
    const next = event?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (event && !next) return event;
    [runId, nextPageToken] = next ? [next, undefined] : [runId, answer.nextPageToken];
  }
}

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
