/** Executions left behind by a killed command continue on the workers of the next; this tells the user. */
import { type Client } from '@temporalio/client';
import { WORKFLOW_TYPE } from '../../temporal/client';
import { type CliSession } from './session';

/** Each is described; users do not read more ids. */
const LOOKED_AT = 20;

/**
 * Reports which earlier executions continue here: only on a server that had no other workers, and only those
 * waiting for workers of kinds we serve, not for an event, a time or another kind.
 */
export async function tellUnfinished(
  { client, serverStarted }: Pick<CliSession, 'client' | 'serverStarted'>,
  kinds: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  if (!serverStarted) return;
  const ids = await goingOn(client, new Set(kinds)).catch(() => []);
  if (ids.length > 0)
    write(`unfinished executions of this data folder continue here too: ${ids.join(', ')}\n`);
}

async function goingOn(client: Client, kinds: ReadonlySet<string>): Promise<string[]> {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  const ids: string[] = [];
  let left = LOOKED_AT;
  for await (const { workflowId } of client.workflow.list({ query, pageSize: LOOKED_AT })) {
    if (left-- === 0) break;
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const waitsForUs =
      Boolean(raw.pendingWorkflowTask) ||
      (raw.pendingActivities ?? []).some(({ activityType }) => kinds.has(activityType?.name ?? ''));
    if (waitsForUs) ids.push(workflowId.replace(/^noetl-/, ''));
  }
  return ids;
}
