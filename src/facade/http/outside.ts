/** Errors of what stands behind the facade, as answers: the request asks for what there is not, or it is away. */
import { EnvironmentError, isTransient, VisibilityQueryError } from '../../temporal';
import { FacadeError } from './errors';

export function fromOutside(error: unknown): FacadeError | undefined {
  if (error instanceof VisibilityQueryError) return new FacadeError(422, 'FILTER', error.message);
  if (error instanceof EnvironmentError)
    return new FacadeError(503, error.code, error.message, { fix: error.fix });
  if (isTransient(error))
    return new FacadeError(503, 'TEMPORAL_UNREACHABLE', 'the Temporal server does not answer; try again');
  return undefined;
}
