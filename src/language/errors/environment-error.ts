import { CodedError, type ErrorParts } from './coded-error';

/**
 * Something in the environment is missing or wrong (a server, a binary, a port): what happened, where, and how to
 * fix it. Shown without a stack trace.
 */
export class EnvironmentError extends CodedError {
  constructor(
    code: string,
    message: string,
    hint: readonly string[] = [],
    parts: Omit<ErrorParts, 'hint'> = {},
  ) {
    super(code, message, { ...parts, hint });
  }
}
