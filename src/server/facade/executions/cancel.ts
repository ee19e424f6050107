/** Cancels executions and waits briefly for their tools to stop. */
import { type Client } from '@temporalio/client';
import { cancelFamily, type FamilyCancel, forceFamily, workflowIdOf } from '../../../temporal/client';
import { temporalId } from './ids';

/** Milliseconds: tools stop at the next heartbeat of their worker. */
const PATIENCE_MS = 5_000;

export interface Cancelled {
  /** `cancelling`: requested, but some tools are still stopping. */
  readonly status: 'cancelled' | 'cancelling';
  /** Execution ids, the requested one first. */
  readonly executions: readonly string[];
}

/** @param request.waits for the end @throws FacadeError 422 if it is not an id; and as `cancelFamily` */
export async function cancelExecution(
  client: Client,
  id: string,
  { force, waits = true, ...request }: FamilyCancel & { readonly force?: boolean; readonly waits?: boolean },
): Promise<Cancelled> {
  const cancel = force ? forceFamily : cancelFamily;
  const executions = await cancel(client, await temporalId(client, id), request);
  return {
    status: waits && (await endWithin(client, executions, PATIENCE_MS)) ? 'cancelled' : 'cancelling',
    executions,
  };
}

/** Waits for all of them: a child reports its end to its parent, and may close slightly after it. */
async function endWithin(client: Client, ids: readonly string[], limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  for (const id of ids) if (!(await endsWithin(client, id, deadline - Date.now()))) return false;
  return true;
}

/** Waits for the end of an execution, whatever its outcome. */
export async function endsWithin(client: Client, id: string, limitMs: number): Promise<boolean> {
  const handle = client.workflow.getHandle(await workflowIdOf(client, id));
  return await client
    .withDeadline(Date.now() + limitMs, () => handle.result())
    .then(
      () => true,
      async () => (await handle.describe()).status.name !== 'RUNNING',
    );
}
