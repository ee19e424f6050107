/** Executions that an execution called, and those that these called (D23). */
import { type Client } from '@temporalio/client';
import { eachVisible, executionIdOf, quoted, type VisibleExecution } from '../../temporal';

/**
 * Execution ids of the running descendants, nearest first. Of a family all that runs is asked for at once; parts of a
 * loop that run as workflows of their own (D20) stand between a caller and whom it calls.
 */
export async function runningDescendants(client: Client, info: VisibleExecution): Promise<readonly string[]> {
  const root = info.rootExecution?.workflowId ?? info.workflowId;
  const byParent = new Map<string, VisibleExecution[]>();
  const query = `RootWorkflowId = ${quoted(root)} AND ExecutionStatus = 'Running'`;
  for await (const one of eachVisible(client, query)) {
    const parent = one.parentExecution?.workflowId ?? undefined;
    if (parent !== undefined) byParent.set(parent, [...(byParent.get(parent) ?? []), one]);
  }
  const found: string[] = [];
  const queue = [info.workflowId];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { workflowId } of byParent.get(next) ?? []) {
      queue.push(workflowId);
      const id = executionIdOf(workflowId);
      if (id !== undefined) found.push(id);
    }
    byParent.delete(next);
  }
  return found;
}
