/** Cancels executions, and waits a moment for their tools to stop (D24). */
import { type Client } from '@temporalio/client';
import { ExecutionOverError, steer, workflowId } from '../../temporal';
import { temporalId } from '../routes/requests';
import { described } from './described';
import { runningDescendants } from './family';

/** Milliseconds: tools stop with the next heartbeat of their worker. */
const PATIENCE_MS = 5_000;

export interface CancelRequest {
  readonly reason?: string;
  /** Also detached sub-playbooks; those that are waited for always go with who waits. */
  readonly cascade: boolean;
}

export interface Cancelled {
  /** `cancelling`: it was told, and its tools are still stopping. */
  readonly status: 'cancelled' | 'cancelling';
  /** Execution ids, the one asked for first. */
  readonly executions: readonly string[];
}

/** @throws FacadeError 404; ExecutionOverError: its end stands */
export async function cancelExecution(
  client: Client,
  id: string,
  request: CancelRequest,
): Promise<Cancelled> {
  const { reason, cascade } = request;
  const info = await described(client, id);
  const descendants = info.status.name === 'RUNNING' ? await runningDescendants(client, info) : [];
  await steer(client, temporalId(id), 'cancel', reason);
  if (cascade) await Promise.all(descendants.map((one) => cancelDescendant(client, one, reason)));
  const isStopped = await endsWithin(client, id, PATIENCE_MS);
  const gone = cascade ? descendants : await thoseOver(client, descendants);
  return { status: isStopped ? 'cancelled' : 'cancelling', executions: [id, ...gone] };
}

/** One that has ended meanwhile is no failure of ours. */
async function cancelDescendant(client: Client, id: string, reason: string | undefined): Promise<void> {
  await steer(client, workflowId(id), 'cancel', reason).catch((error: unknown) => {
    if (!(error instanceof ExecutionOverError)) throw error;
  });
}

async function thoseOver(client: Client, ids: readonly string[]): Promise<string[]> {
  const states = await Promise.all(ids.map(async (id) => (await described(client, id)).status.name));
  return ids.filter((_, index) => states[index] !== 'RUNNING');
}

/** Waits for the end of an execution, however it comes. */
export async function endsWithin(client: Client, id: string, limitMs: number): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId(id));
  return await client
    .withDeadline(Date.now() + limitMs, () => handle.result())
    .then(
      () => true,
      async () => (await handle.describe()).status.name !== 'RUNNING',
    );
}
