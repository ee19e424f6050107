/** What Temporal knows of an execution without its history. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { ExecutionNotFoundError } from '../../temporal';
import { known } from './answers';
import { temporalId } from './ids';

/** @throws FacadeError 404 when there is none of that id, 422 when the id is none */
export async function described(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  const name = temporalId(id);
  try {
    return await client.workflow.getHandle(name).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw known(new ExecutionNotFoundError(`there is no execution ${id}`, { cause: error }), id);
  }
}
