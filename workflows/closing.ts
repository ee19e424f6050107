/** Closing a run. */
import { condition } from '@temporalio/workflow';
import { CLOSING_TIMER } from '../src/plan';

/** Short enough that nobody waiting for the run notices. */
const PATIENCE = '2s';

/**
 * For the request of a caller that has cancelled the run by signal: Temporal delivers them one by one, and is restarted
 * in between. The caller knows the end already.
 */
export const PATIENCE_WITH_CALLER = '60s';

/** Gives Temporal a moment to record what must be in history before the run closes. @returns false on timeout */
export async function heard(
  holds: () => boolean,
  patience: typeof PATIENCE | typeof PATIENCE_WITH_CALLER = PATIENCE,
): Promise<boolean> {
  return holds() || (await condition(holds, patience, { summary: CLOSING_TIMER }));
}
