/** The document that `run --json` prints. */
import { type ExecutionEnding } from '../../api/ending';

export interface ResultDocument extends ExecutionEnding {
  readonly execution_id: string | null;
  readonly workflow_id: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}
