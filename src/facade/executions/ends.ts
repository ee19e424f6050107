/** Why executions failed, from the last event of their history. Cached, because it never changes. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type VisibleExecution } from '../../temporal';

const KEPT = 5_000;
const CLOSE_EVENT = temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

export class Ends {
  private readonly known = new Map<string, string>();

  constructor(private readonly client: Client) {}

  /** As a sentence; null if it did not fail or its history has expired. */
  async whyFailed({ workflowId, runId }: VisibleExecution): Promise<string | null> {
    const known = this.known.get(runId);
    if (known !== undefined) return known;
    const why = await this.read(workflowId, runId).catch(() => null);
    if (why !== null) this.known.set(runId, why);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value!);
    return why;
  }

  private async read(workflowId: string, runId: string): Promise<string | null> {
    const { history } = await this.client.workflowService.getWorkflowExecutionHistory({
      namespace: this.client.options.namespace,
      execution: { workflowId, runId },
      historyEventFilterType: CLOSE_EVENT,
    });
    const end = history?.events?.at(-1);
    const terminated = end?.workflowExecutionTerminatedEventAttributes;
    if (terminated) return terminated.reason || 'terminated by an operator';
    if (end?.workflowExecutionTimedOutEventAttributes) return 'it ran longer than its time limit in Temporal';
    return end?.workflowExecutionFailedEventAttributes?.failure?.message ?? null;
  }
}
