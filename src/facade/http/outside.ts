/** Errors of what stands behind the facade, as answers: the request asks for what there is not, or it is away. */
import { EnvironmentError, isTransient, VisibilityQueryError } from '../../temporal';
import { FacadeError } from './errors';

/** Data that Postgres takes for no text or number at all, by SQLSTATE: nobody but the client can mend it. */
const NOT_STORABLE: Readonly<Record<string, string>> = {
  '22003': 'a number is outside the range that can be stored',
  '22021': 'a text contains a NUL character, which cannot be stored',
  '22P05': 'a text contains a NUL character, which cannot be stored',
};

export function fromOutside(error: unknown): FacadeError | undefined {
  if (error instanceof VisibilityQueryError) return new FacadeError(422, 'FILTER', error.message);
  if (error instanceof EnvironmentError)
    return new FacadeError(503, error.code, error.message, { fix: error.fix });
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && Object.hasOwn(NOT_STORABLE, code))
    return new FacadeError(422, 'NOT_STORABLE', NOT_STORABLE[code]!);
  if (isTransient(error))
    return new FacadeError(503, 'TEMPORAL_UNREACHABLE', 'the Temporal server does not respond; try again');
  return undefined;
}
