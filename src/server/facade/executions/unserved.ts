/** Queues without workers in which tasks of an execution wait: Temporal's description has them, its history does not. */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import { type UnservedQueue, unservedQueues } from '../../../temporal/client';
import { locatedExecution } from './ids';

export const unservedList = z
  .array(
    z
      .object({
        queue: z.string(),
        kind: z.string().meta({ description: 'Of the tasks; `workflows` and `playbooks` for the engine' }),
        pool: z.string().nullable(),
        waiting: z.int().meta({ description: 'Tasks that wait in it, those of its sub-playbooks included' }),
        since: z.iso.datetime(),
        last_seen: z.iso.datetime().nullable().meta({
          description:
            'The last sign of life of a worker; null if there was none, as far as Temporal remembers',
        }),
        fix: z.string().nullable().meta({ description: 'A command that starts a worker' }),
        task_run_ids: z.array(z.string()),
      })
      .meta({ id: 'UnservedQueue' }),
  )
  .meta({ description: 'Queues that no worker serves, in which tasks wait' });

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
