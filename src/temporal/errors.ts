/**
 * Something around us is missing or wrong (a server, a binary, a port): a stable code, what happened and where, and
 * what the user can do. Shown without a stack trace.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(
    /** Stable and greppable, e.g. `TEMPORAL_UNREACHABLE`. */
    readonly code: string,
    message: string,
    /** What the user can do about it; one suggestion a line. */
    readonly fix: readonly string[] = [],
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
