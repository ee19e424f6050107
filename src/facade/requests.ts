/** What requests say, checked. */
import { type z } from 'zod';
import { executionIdOf } from '../plan';
import { workflowId } from '../temporal';
import { FacadeError } from './errors';

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
    );
  }
  return name;
}

/** @throws FacadeError 422 naming the first field that is wrong */
export function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new FacadeError(422, 'VALIDATION', `${issue!.path.join('.') || 'body'}: ${issue!.message}`);
}
