/** Fields of an error besides its code and message. */
export interface ErrorParts {
  /** How to fix it; one suggestion per line. */
  readonly hint?: readonly string[];
  /** Line and column in the playbook. */
  readonly at?: readonly [line: number, column: number];
  /** Retrying may succeed. Default false. */
  readonly retryable?: boolean;
  /** For programs: ids, states. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The base class of our errors. Programs distinguish them by `code`, stable and greppable; a subclass is for errors
 * that are caught as a group, or have more fields.
 */
export class CodedError<Code extends string = string> extends Error {
  readonly hint: readonly string[];
  at?: readonly [line: number, column: number];
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: Code,
    message: string,
    { hint = [], at, retryable = false, details = {}, ...options }: ErrorParts = {},
  ) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
    this.at = at;
    this.retryable = retryable;
    this.details = details;
  }
}

/** Whether it is an error of ours with one of the codes. */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is CodedError<Code> {
  return error instanceof CodedError && (codes as readonly string[]).includes(error.code);
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
