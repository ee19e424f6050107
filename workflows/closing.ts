/** Closing a run. */
import { condition } from '@temporalio/workflow';
import { CLOSING_TIMER } from '../src/language/plan';

/** Short enough that nobody waiting for the run notices. */
const PATIENCE = '2s';

/**
 * For the request of a caller that has cancelled the run by signal. It comes when the caller learns that the signal was
 * delivered, which takes minutes while its workers are lost; nobody waits for the run, the caller knows its end already.
 * Sent together with the signal, the request may arrive first, and the reason is lost.
 */
export const PATIENCE_WITH_CALLER = '10 minutes';

/** Gives Temporal a moment to record what must be in history before the run closes. @returns false on timeout */
export async function waitUntil(
  holds: () => boolean,
  patience: typeof PATIENCE | typeof PATIENCE_WITH_CALLER = PATIENCE,
): Promise<boolean> {
  return holds() || (await condition(holds, patience, { summary: CLOSING_TIMER }));
}
