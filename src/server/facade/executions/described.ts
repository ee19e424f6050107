/** Temporal's description of an execution, without its history. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { executionNotFound } from '../../../temporal/client';
import { locatedExecution } from './ids';

/** @throws CodedError `EXECUTION_NOT_FOUND`; FacadeError 422 if the id is invalid */
export async function described(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  const { workflowId, left } = await locatedExecution(client, id);
  try {
    return await client.workflow.getHandle(workflowId, left?.runId).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw executionNotFound(id, error);
  }
}
