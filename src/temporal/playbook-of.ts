/** What Temporal says about an execution and its tasks, for whoever opens credentials. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { locate } from './locate';
import { NOETL_PLAYBOOK } from './naming';

const { PendingActivityState: State } = temporal.api.enums.v1;

/** Executions whose path is remembered; it never changes. */
const MAX_KEPT = 1000;

/** Looks up the path of an execution's playbook; undefined if Temporal does not know the execution. */
export type PlaybookOf = (executionId: string) => Promise<string | undefined>;

export function playbookOf(client: Client): PlaybookOf {
  const kept = new Map<string, string>();
  return async (executionId) => {
    const known = kept.get(executionId);
    if (known !== undefined) return known;
    const path = await ifFound(async () => {
      const { workflowId, left } = await locate(client, executionId);
      const { typedSearchAttributes } = await client.workflow.getHandle(workflowId, left?.runId).describe();
      return typedSearchAttributes.get(NOETL_PLAYBOOK);
    });
    if (path === undefined) return undefined;
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
    kept.set(executionId, path);
    return path;
  };
}

/** Whether a worker runs this activity now. */
export async function isUnderWay(client: Client, workflowId: string, activityId: string): Promise<boolean> {
  const found = await ifFound(async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.find((one) => one.activityId === activityId);
  });
  return (
    found?.state !== undefined &&
    found.state !== State.PENDING_ACTIVITY_STATE_SCHEDULED &&
    found.state !== State.PENDING_ACTIVITY_STATE_PAUSED
  );
}

async function ifFound<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
