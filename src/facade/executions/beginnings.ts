/**
 * Which playbook an execution runs, by the first event of its history: for those that were started without search
 * attributes, by the `temporal` CLI or in a namespace that has none. It never changes, so it is kept.
 */
import { type Client } from '@temporalio/client';
import { isMapping } from '../../plan';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { type VisibleExecution } from '../../temporal';

const KEPT = 5_000;

export class Beginnings {
  private readonly known = new Map<string, string>();

  constructor(private readonly client: Client) {}

  /** `metadata.path`; empty where its history is gone, or begins with no plan. */
  async pathOf({ workflowId, runId }: VisibleExecution): Promise<string> {
    const known = this.known.get(runId);
    if (known !== undefined) return known;
    const path = await this.read(workflowId, runId).catch(() => undefined);
    if (path === undefined) return '';
    this.known.set(runId, path);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value!);
    return path;
  }

  private async read(workflowId: string, runId: string): Promise<string> {
    const { history } = await this.client.workflowService.getWorkflowExecutionHistory({
      namespace: this.client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
    const [given] = await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads);
    // A start with its payload, a plan alone, or a call of a sub-playbook that the workflow resolves by itself.
    const input = fieldsOf(given);
    const plan = fieldsOf(input['plan'] ?? given);
    const path = fieldsOf(plan['metadata'])['path'] ?? fieldsOf(input['call'])['path'];
    return typeof path === 'string' ? path : '';
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}
