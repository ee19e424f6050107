import { CodedError, type ErrorParts } from './coded-error';

/**
 * Something around us is missing or wrong (a server, a binary, a port): what happened and where, and what the user can
 * do. Shown without a stack trace.
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
