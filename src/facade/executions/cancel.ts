/** Cancels executions, and waits a moment for their tools to stop. */
import { type Client } from '@temporalio/client';
import { cancelFamily, type FamilyCancel, workflowIdOf } from '../../temporal';
import { temporalId } from './ids';

/** Milliseconds: tools stop with the next heartbeat of their worker. */
const PATIENCE_MS = 5_000;

export interface Cancelled {
  /** `cancelling`: they were told, and tools of theirs are still stopping. */
  readonly status: 'cancelled' | 'cancelling';
  /** Execution ids, the one asked for first. */
  readonly executions: readonly string[];
}

/** @throws FacadeError 422 when it is no id; what `cancelFamily` throws */
export async function cancelExecution(client: Client, id: string, request: FamilyCancel): Promise<Cancelled> {
  const executions = await cancelFamily(client, await temporalId(client, id), request);
  return {
    status: (await endWithin(client, executions, PATIENCE_MS)) ? 'cancelled' : 'cancelling',
    executions,
  };
}

/** All of them. A child tells its end to who waits for it, and may be over a moment later than he is. */
async function endWithin(client: Client, ids: readonly string[], limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  for (const id of ids) if (!(await endsWithin(client, id, deadline - Date.now()))) return false;
  return true;
}

/** Waits for the end of an execution, however it comes. */
export async function endsWithin(client: Client, id: string, limitMs: number): Promise<boolean> {
  const handle = client.workflow.getHandle(await workflowIdOf(client, id));
  return await client
    .withDeadline(Date.now() + limitMs, () => handle.result())
    .then(
      () => true,
      async () => (await handle.describe()).status.name !== 'RUNNING',
    );
}
