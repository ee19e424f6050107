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
  const paths = new Map<string, string>();
  return async (executionId) => {
    const path = paths.get(executionId) ?? (await lookUp(client, executionId));
    if (path === undefined) return undefined;
    if (paths.size >= MAX_KEPT) paths.delete(paths.keys().next().value!);
    paths.set(executionId, path);
    return path;
  };
}

function lookUp(client: Client, executionId: string): Promise<string | undefined> {
  return ifFound(async () => {
    const { workflowId, left } = await locate(client, executionId);
    const { typedSearchAttributes } = await client.workflow.getHandle(workflowId, left?.runId).describe();
    return typedSearchAttributes.get(NOETL_PLAYBOOK);
  });
}

/** Whether a worker runs this activity now. */
export async function isUnderWay(client: Client, workflowId: string, activityId: string): Promise<boolean> {
  const activity = await ifFound(async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.find((one) => one.activityId === activityId);
  });
  return (
    activity?.state !== undefined &&
    activity.state !== State.PENDING_ACTIVITY_STATE_SCHEDULED &&
    activity.state !== State.PENDING_ACTIVITY_STATE_PAUSED
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
