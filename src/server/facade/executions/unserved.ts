/** Queues without workers in which tasks of an execution wait: Temporal's description has them, its history does not. */
import { type Client } from '@temporalio/client';
import { type UnservedQueue, unservedQueues } from '../../../temporal/client';
import { locatedExecution } from './ids';

/** Milliseconds: the console and `run` ask again and again. */
const FRESH_MS = 3_000;
const MOST_KEPT = 500;

export class UnservedQueues {
  private readonly kept = new Map<
    string,
    { readonly at: number; readonly queues: Promise<UnservedQueue[]> }
  >();

  constructor(private readonly client: Client) {}

  /** As a field of documents. */
  async fieldOf(id: string): Promise<{ unserved: readonly UnservedQueue[] }> {
    return { unserved: await this.of(id) };
  }

  /** @param id of an execution; empty if it has ended, or Temporal does not answer */
  of(id: string): Promise<UnservedQueue[]> {
    const before = this.kept.get(id);
    if (before && performance.now() - before.at < FRESH_MS) return before.queues;
    const queues = locatedExecution(this.client, id)
      .then(async ({ workflowId, left }) => (left ? [] : await unservedQueues(this.client, workflowId)))
      .catch(() => []);
    this.kept.delete(id);
    this.kept.set(id, { at: performance.now(), queues });
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return queues;
  }
}
