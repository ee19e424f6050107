import { HistoryError, StoredPayloadError } from '../../history';
import { ExecutionNotFoundError } from '../../temporal';
import { FacadeError } from '../http/errors';

/** What is wrong with the request, or with the history, as an answer; anything else as it is. */
export function known(error: unknown, id: string): unknown {
  if (error instanceof ExecutionNotFoundError)
    return new FacadeError(404, 'EXECUTION_NOT_FOUND', `Execution not found: ${id}`);
  if (error instanceof StoredPayloadError) return new FacadeError(502, error.code, error.message);
  if (error instanceof HistoryError) return new FacadeError(422, error.code, error.message);
  return error;
}
