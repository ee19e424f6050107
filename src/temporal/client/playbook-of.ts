/** What Temporal says about an execution and its tasks, for whoever opens credentials. */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { describedIfThere } from './described';
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

async function lookUp(client: Client, executionId: string): Promise<string | undefined> {
  const { workflowId, left } = await locate(client, executionId);
  const execution = await describedIfThere(client, workflowId, left?.runId);
  return execution?.typedSearchAttributes.get(NOETL_PLAYBOOK);
}

/** Whether a worker runs this activity now. */
export async function isUnderWay(client: Client, workflowId: string, activityId: string): Promise<boolean> {
  const { pendingActivities } = (await describedIfThere(client, workflowId))?.raw ?? {};
  const state = pendingActivities?.find((one) => one.activityId === activityId)?.state ?? undefined;
  return (
    state !== undefined &&
    state !== State.PENDING_ACTIVITY_STATE_SCHEDULED &&
    state !== State.PENDING_ACTIVITY_STATE_PAUSED
  );
}
