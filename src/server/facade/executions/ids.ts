/** Validation of execution ids in requests. */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  executionIdOf,
  executionPages,
  locate,
  type PagesOptions,
  type LocatedExecution,
  workflowId,
  workflowIdOf,
} from '../../../temporal/client';
import { invalidField } from '../http/errors';

/** `/api/executions/{id}/…` */
export const executionPath = z.object({
  id: z
    .string()
    .max(40)
    .meta({ description: 'An execution id: a decimal number', example: '382611493952737670' }),
});

/**
 * The workflow id of an execution that is to be signalled.
 *
 * @throws FacadeError 422 if it is not an execution id; and as `workflowIdOf`
 */
export async function temporalId(client: Client, id: string): Promise<string> {
  return await workflowIdOf(client, checkedId(id));
}

/** As `locate`. @throws FacadeError 422 if it is not an execution id */
export async function locatedExecution(client: Client, id: string): Promise<LocatedExecution> {
  return await locate(client, checkedId(id));
}

/** The history of an execution. @throws FacadeError 422 if it is not an execution id; and as `historyPages` */
export function pagesOf(
  client: Client,
  id: string,
  options?: PagesOptions,
): ReturnType<typeof executionPages> {
  return executionPages(client, checkedId(id), options);
}

/** @throws FacadeError 422 if it is not an execution id */
export function checkedId(id: string): string {
  if (executionIdOf(workflowId(id)) === undefined) {
    throw invalidField(
      'path.id',
      'EXECUTION_ID',
      `${JSON.stringify(id.slice(0, 40))} is not an execution id: a decimal number`,
    );
  }
  return id;
}

/** An id in a body. JavaScript rounds integers above 2^53, so most ids are intact only as strings. */
export const executionId = z
  .union([z.string().max(40), z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER)])
  .transform(String)
  .meta({ description: 'An execution id, as a string', example: '382611493952737670' });
