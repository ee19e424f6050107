/** Execution ids in requests, checked. */
import { z } from 'zod';
import { executionIdOf } from '../../plan';
import { workflowId } from '../../temporal';
import { FacadeError } from '../http/errors';

/** `/api/executions/{id}/…` */
export const executionPath = z.object({
  id: z
    .string()
    .max(40)
    .meta({ description: 'An execution id: a decimal number', example: '382611493952737670' }),
});

/**
 * The workflow id of an execution.
 *
 * @throws FacadeError 422 when it is not an execution id
 */
export function temporalId(id: string): string {
  const name = workflowId(id);
  if (executionIdOf(name) === undefined) {
    throw new FacadeError(
      422,
      'EXECUTION_ID',
      `${JSON.stringify(id.slice(0, 40))} is not an execution id: a decimal number`,
      { at: 'path.id' },
    );
  }
  return name;
}

/** In a body. JavaScript rounds numbers above 2^53, so most ids only come through as text. */
export const executionId = z
  .union([z.string().max(40), z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER)])
  .transform(String)
  .meta({ description: 'An execution id, as a string', example: '382611493952737670' });
