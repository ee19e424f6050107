/** Messages between `project` or `dev` and the thread that judges executions. */
import { type Judged } from '../../../server/staged';
import { type TemporalTarget } from '../../../temporal/client';

/** Where executions are, and large values. */
export interface JudgeWork {
  readonly target: TemporalTarget;
  /** The data folder. */
  readonly data: string;
  readonly storage?: string;
}

export type JudgeReply =
  | { readonly done: Judged }
  /** Without a code: an unexpected error. */
  | { readonly failed: { code: string | undefined; message: string; retryable: boolean } };
