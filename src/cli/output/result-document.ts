/** The document that `run --json` prints. */
import { type Ending } from '../../api/ending';

export interface ResultDocument extends Ending {
  readonly execution_id: string | null;
  readonly workflow_id: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}
