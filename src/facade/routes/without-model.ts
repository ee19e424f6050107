import { FacadeError } from '../http/errors';

/** What the official GUI asks of a language model is answered with what there is instead. */
export function withoutModel(instead: string): FacadeError {
  return new FacadeError(501, 'NO_LANGUAGE_MODEL', `this server asks no language model; ${instead}`);
}
