/** Messages between a pool and its threads. */

/** A job for a thread. */
export interface ThreadRequest {
  readonly job: number;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to a question of a job. */
export interface HostAnswer {
  readonly job: number;
  readonly call: number;
  readonly value?: unknown;
  /** It could not be answered. */
  readonly failed?: string;
}

/** An error of ours as data, because class instances cannot be passed. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  /** Of an error of the REST API. */
  readonly status?: number | undefined;
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  readonly hint?: readonly string[];
  readonly retryable?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type ThreadReply = { readonly job: number } & (
  | { readonly done: unknown }
  | { readonly refused: PlainError }
  /** An unexpected error. */
  | { readonly crashed: unknown }
  /** The host did not answer: what it threw is the reason. */
  | { readonly unanswered: true }
  /** Asks whoever gave the job; without a `call`, no answer is awaited. */
  | { readonly ask: string; readonly about: unknown; readonly call?: number }
);
