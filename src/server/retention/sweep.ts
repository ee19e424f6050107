/**
 * Removes what has expired: rows first, of executions that Temporal has forgotten; then stored values that neither
 * Temporal nor a row refers to. A sweep that is interrupted is completed by the next one.
 */
import { type Pool } from 'pg';
import { collectGarbage, type CollectedGarbage, type Storage } from '../../storage/blobs';
import { hasCode, messageOf } from '../../language/errors';
import { transaction } from '../../storage/postgres';
import {
  executionWorkflow,
  type ExpiredExecution,
  expiredFamilies,
  hasRow,
  removeExecutions,
  removeOldNotices,
} from './expired';
import { type RetentionPolicy, shortestHours } from './policy';

const HOUR_MS = 3_600_000;

export interface SweepOptions {
  readonly pool: Pool;
  readonly policy: RetentionPolicy;
  readonly stores: Storage['stores'];
  readonly dryRun: boolean;
  /** Whether Temporal has the workflow, open or closed. */
  isKnown(owner: { readonly namespace: string; readonly workflowId: string }): Promise<boolean>;
  readonly namespace: string;
  /** Called for each execution that is, or would be, removed. */
  readonly onExpired?: (execution: ExpiredExecution) => void;
  /** Stops between two families. */
  readonly signal?: AbortSignal;
}

export interface Swept {
  readonly executions: number;
  readonly events: number;
  readonly notifications: number;
  /** Executions that have expired, but which Temporal still has, or with one of their family. */
  readonly left: number;
  readonly values: CollectedGarbage['deleted'];
  /** What could not be done, as sentences. */
  readonly notes: readonly string[];
}

/** @throws errors of the database, of Temporal and of the stores */
export async function sweep(options: SweepOptions): Promise<Swept> {
  const { pool, policy, dryRun, signal } = options;
  const total = { executions: 0, events: 0, notifications: 0, left: 0 };
  const removedIds = new Set<string>();
  for await (const family of expiredFamilies(pool, policy)) {
    if (signal?.aborted) break;
    if (await anyKnown(family, options)) {
      total.left += family.length;
      continue;
    }
    const ids = family.map((one) => one.executionId);
    for (const one of family) {
      options.onExpired?.(one);
      removedIds.add(one.workflowId);
    }
    if (dryRun) {
      total.executions += ids.length;
      continue;
    }
    const removed = await transaction(pool, (db) => removeExecutions(db, ids));
    total.executions += removed.executions;
    total.events += removed.events;
    total.notifications += removed.notifications;
  }
  const hours = shortestHours(policy);
  const rest = policy.rules.find(({ pattern }) => pattern === '*')?.hours;
  if (!dryRun && rest !== undefined) total.notifications += await removeOldNotices(pool, rest);
  if (hours === undefined || signal?.aborted)
    return { ...total, values: { workflows: 0, count: 0, bytes: 0 }, notes: [] };
  return { ...total, ...(await removeValues(options, hours, removedIds)) };
}

async function anyKnown(
  family: readonly ExpiredExecution[],
  { isKnown, namespace }: SweepOptions,
): Promise<boolean> {
  for (const { workflowId } of family) if (await isKnown({ namespace, workflowId })) return true;
  return false;
}

/** @param removedIds workflow ids whose rows this sweep has removed, or would */
async function removeValues(
  { pool, stores, dryRun, isKnown }: SweepOptions,
  hours: number,
  removedIds: ReadonlySet<string>,
): Promise<Pick<Swept, 'values' | 'notes'>> {
  const values = { workflows: 0, count: 0, bytes: 0 };
  const notes: string[] = [];
  for (const store of stores) {
    try {
      const { deleted } = await collectGarbage(store, {
        before: Date.now() - hours * HOUR_MS,
        dryRun,
        isKnown: async (owner) => {
          const hasOwn =
            !removedIds.has(executionWorkflow(owner.workflowId)) && (await hasRow(pool, owner.workflowId));
          return hasOwn || isKnown(owner);
        },
      });
      values.workflows += deleted.workflows;
      values.count += deleted.count;
      values.bytes += deleted.bytes;
    } catch (error) {
      // Nothing is deleted on the word of a server that knows nothing.
      if (!hasCode(error, 'STORAGE_OWNERS_UNKNOWN')) throw error;
      notes.push(`${store.shown}: ${messageOf(error)}; nothing was deleted there`);
    }
  }
  return { values, notes };
}
