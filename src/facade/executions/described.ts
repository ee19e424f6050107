/** What Temporal knows of an execution without its history. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { ExecutionNotFoundError } from '../../temporal';
import { known } from './answers';
import { placeOf } from './ids';

/** @throws FacadeError 404 when there is none of that id, 422 when the id is none */
export async function described(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  const { workflowId, left } = await placeOf(client, id);
  try {
    return await client.workflow.getHandle(workflowId, left?.runId).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw known(new ExecutionNotFoundError(`there is no execution ${id}`, { cause: error }), id);
  }
}
