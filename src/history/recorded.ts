/** A whole execution from the histories of its runs: its events in order, and its state. */
import { type History } from '@temporalio/common/lib/proto-utils';
import { type State } from '../engine/machine';
import { type Plan } from '../language/plan';
import { appendAll } from '../language/plan/append';
import { Derivation, type DerivationOptions } from './derivation';
import { type Divergence } from './divergence';
import { type CanonicalEvent } from './events';
import { type Pages } from './follow';
import { type HistoryEvent } from './event';
import { type Closed } from './reader';

export interface RecordedExecution {
  readonly plan: Plan;
  readonly events: readonly CanonicalEvent[];
  readonly state: State;
  /** How the last Temporal run ended; undefined while it runs. */
  readonly closed?: Closed;
  readonly divergence?: Divergence;
}

/**
 * @param pages of the execution's runs, first to last
 * @throws CodedError `HISTORY` when they are not those of a playbook
 */
export async function recordedExecution(
  pages: Pages | readonly History[],
  options: DerivationOptions = {},
): Promise<RecordedExecution> {
  const derivation = new Derivation(options);
  const events: CanonicalEvent[] = [];
  for await (const page of pages) {
    const history: readonly HistoryEvent[] =
      'events' in page ? (page.events ?? []) : (page as readonly HistoryEvent[]);
    for await (const some of derivation.portions(history)) appendAll(events, some);
  }
  const { plan, state, closed, divergence } = derivation;
  return { plan, events, state, closed, divergence };
}
