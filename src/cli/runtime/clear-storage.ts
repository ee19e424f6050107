/** `storage gc`: asks Temporal which workflows still exist, and deletes the stored payloads of all others. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type CollectedGarbage, collectGarbage } from '../../storage/blobs';
import { isDrawn } from '../../language/plan';
import { executionIdOf, NOETL_EXECUTION, quotedQueryText } from '../../temporal/client';
import { UsageError } from '../errors';
import { withClient } from './recorded-run';
import { dataFolder } from './data-folder';
import { openLocalStorage } from './storage';

export interface ClearOptions {
  /** Payloads stored more recently are kept. */
  readonly olderThanMs: number;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly data?: string;
  readonly storage?: string;
}

/** @throws UsageError for a bucket, which has lifecycle rules, and if Temporal has none of the executions */
export async function clearStorage(options: ClearOptions): Promise<CollectedGarbage> {
  const dataDir = dataFolder(options.data);
  const storage = await openLocalStorage(options.storage, dataDir);
  try {
    const [store] = storage.stores;
    if (!store) {
      throw new UsageError(
        `storage gc works on folders and Postgres, not on ${storage.shown}: for a bucket, use a lifecycle rule (docs/large-results.md)`,
      );
    }
    const { olderThanMs, dryRun, force } = options;
    return await withClient(dataDir, undefined, (client) =>
      collectGarbage(store, {
        before: Date.now() - olderThanMs,
        dryRun,
        force,
        isKnown: ({ namespace, workflowId }) => isKnown(client, namespace, workflowId),
      }),
    );
  } finally {
    await storage.close();
  }
}

/** Open or closed: as long as Temporal keeps the history, it refers to stored payloads. */
export async function isKnown(client: Client, namespace: string, workflowId: string): Promise<boolean> {
  try {
    await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
    return true;
  } catch (error) {
    const NOT_FOUND = 5;
    if (error instanceof WorkflowNotFoundError || (error as { code?: unknown }).code === NOT_FOUND)
      return await isNoted(client, namespace, workflowId);
    throw error;
  }
}

/** Tools store by execution id, which does not determine the workflow id of executions started by other clients. */
async function isNoted(client: Client, namespace: string, workflowId: string): Promise<boolean> {
  const id = executionIdOf(workflowId);
  if (id === undefined || !isDrawn(id)) return false;
  const query = `${NOETL_EXECUTION.name} = ${quotedQueryText(id)}`;
  const request = { namespace, query, pageSize: 1 };
  const { executions } = await client.workflowService.listWorkflowExecutions(request);
  return (executions ?? []).length > 0;
}
