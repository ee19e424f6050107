/** Why executions failed, from the last event of their history. Cached, because it never changes. */
import { type Client } from '@temporalio/client';
import { closeEvent, type VisibleExecution } from '../../../temporal/client';

const KEPT = 5_000;

export class Ends {
  private readonly reasons = new Map<string, string>();

  constructor(private readonly client: Client) {}

  /** As a sentence; null if it did not fail or its history has expired. */
  async whyFailed(info: VisibleExecution): Promise<string | null> {
    const { runId } = info;
    const reason = this.reasons.get(runId);
    if (reason !== undefined) return reason;
    const why = await this.read(info).catch(() => null);
    if (why !== null) this.reasons.set(runId, why);
    if (this.reasons.size > KEPT) this.reasons.delete(this.reasons.keys().next().value!);
    return why;
  }

  private async read(info: VisibleExecution): Promise<string | null> {
    const end = await closeEvent(this.client, info);
    const terminated = end?.workflowExecutionTerminatedEventAttributes;
    if (terminated) return terminated.reason || 'terminated by an operator';
    if (end?.workflowExecutionTimedOutEventAttributes) return 'it ran longer than its time limit in Temporal';
    return end?.workflowExecutionFailedEventAttributes?.failure?.message ?? null;
  }
}
