/** What an execution refuses or cannot answer, as an answer of ours. */
import { HistoryError, StoredPayloadError } from '../../history';
import { ExecutionNotFoundError, ExecutionOverError, NoAnswerError, RefusedError } from '../../temporal';
import { FacadeError } from '../http/errors';

/** Throws the error of an update as a FacadeError where it is one of the execution's. */
export function refused(error: unknown, id: string): never {
  if (error instanceof ExecutionNotFoundError)
    throw new FacadeError(404, 'EXECUTION_NOT_FOUND', `Execution not found: ${id}`);
  if (error instanceof ExecutionOverError)
    throw new FacadeError(409, 'EXECUTION_OVER', `Execution ${id} is over (${error.status})`, {
      execution_id: id,
      status: error.status,
    });
  if (error instanceof RefusedError) throw new FacadeError(422, 'REFUSED', error.message);
  if (error instanceof NoAnswerError) throw new FacadeError(503, 'NO_WORKFLOW_WORKER', error.message);
  throw error;
}

/** What is wrong with the request, or with the history, as an answer; anything else as it is. */
export function known(error: unknown, id: string): unknown {
  if (error instanceof ExecutionNotFoundError)
    return new FacadeError(404, 'EXECUTION_NOT_FOUND', `Execution not found: ${id}`);
  if (error instanceof StoredPayloadError) return new FacadeError(502, error.code, error.message);
  if (error instanceof HistoryError) return new FacadeError(422, error.code, error.message);
  return error;
}
