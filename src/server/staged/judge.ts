/** What decides a past execution anew with a staged version. */
import { type Verdict } from '../../offline/proof';

/** An execution that has ended, and the staged version of its path. */
export interface JudgeRequest {
  readonly path: string;
  readonly version: number;
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly catalog_id: string;
  /** SHA-256 of the content, hex. */
  readonly digest: string;
  /** The staged text. */
  readonly content: string;
}

/** `own`: the execution ran the staged version itself, which proves nothing. */
export type Judged = Omit<Verdict, 'execution_id'> | 'own';

/**
 * @throws CodedError if the execution cannot be judged: again later if it is `retryable`, never otherwise; any other
 *   error: again later
 */
export type Judge = (request: JudgeRequest) => Promise<Judged>;
