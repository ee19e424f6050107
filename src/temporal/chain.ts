/** The Temporal runs of one execution, continuations included. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type History } from '@temporalio/common/lib/proto-utils';

/** The histories of all runs, first to last; undefined when there is no such execution. */
export async function fetchChain(client: Client, id: string): Promise<History[] | undefined> {
  const chain: History[] = [];
  try {
    const { raw } = await client.workflow.getHandle(id).describe();
    const info = raw.workflowExecutionInfo;
    let runId = info?.firstRunId || info?.execution?.runId;
    while (runId) {
      const history: History = await client.workflow.getHandle(id, runId).fetchHistory();
      chain.push(history);
      runId =
        history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
        undefined;
    }
    return chain;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
