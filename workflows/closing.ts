/** The last moments of a run. */
import { condition } from '@temporalio/workflow';
import { CLOSING_TIMER } from '../src/plan';

/** Nobody who waits for the run should notice. */
const PATIENCE = '2s';

/** Waits a moment for what Temporal should have heard before the run closes. @returns false when it was in vain */
export async function heard(holds: () => boolean): Promise<boolean> {
  return holds() || (await condition(holds, PATIENCE, { summary: CLOSING_TIMER }));
}
