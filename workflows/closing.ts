/** Closing a run. */
import { condition } from '@temporalio/workflow';
import { CLOSING_TIMER } from '../src/plan';

/** Short enough that nobody waiting for the run notices. */
const PATIENCE = '2s';

/** Gives Temporal a moment to record what must be in history before the run closes. @returns false on timeout */
export async function heard(holds: () => boolean): Promise<boolean> {
  return holds() || (await condition(holds, PATIENCE, { summary: CLOSING_TIMER }));
}
