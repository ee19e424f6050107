import { KeyRingError } from '../keyring';
import { FacadeError } from './http/errors';

/** For a secret whose key is not here, or that was changed: nothing that the client can mend, and worth its words. */
export function unreadable(error: unknown): never {
  if (!(error instanceof KeyRingError)) throw error;
  throw new FacadeError(503, error.code, error.message, { fix: error.fix });
}
