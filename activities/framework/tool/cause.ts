/** Unwraps errors, which may be from another realm, bundled or wrapped. */
import { types } from 'node:util';

/** The error as an Error; `instanceof` fails for errors from another realm (jest, vm). */
export function asError(error: unknown): Error {
  return types.isNativeError(error) || error instanceof Error ? error : new Error(String(error));
}

/** The first of several (an AggregateError of connection attempts), or the error inside a wrapper without a code. */
export function rootCause(error: unknown): Error {
  const outer = asError(error);
  const first = (outer as Partial<AggregateError>).errors?.[0] as unknown;
  if (first !== undefined) return rootCause(first);
  const hasCode = (outer as NodeJS.ErrnoException).code !== undefined;
  return !hasCode && types.isNativeError(outer.cause) ? rootCause(outer.cause) : outer;
}
