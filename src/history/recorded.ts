/** A whole execution from the histories of its runs: events one after the other, and the state it is in. */
import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import { type History } from '@temporalio/common/lib/proto-utils';
import { type State } from '../engine';
import { type Plan } from '../plan';
import { type CanonicalEvent, eventsOf } from './events';
import { readHistory } from './inputs';

export interface RecordedExecution {
  readonly plan: Plan;
  readonly events: readonly CanonicalEvent[];
  readonly state: State;
}

/**
 * @param chain the histories of the execution's runs, first to last, at least one
 * @throws HistoryError when they are not those of a playbook
 */
export async function recordedExecution(
  chain: readonly History[],
  converter: LoadedDataConverter = defaultDataConverter,
): Promise<RecordedExecution> {
  const events: CanonicalEvent[] = [];
  let last: Omit<RecordedExecution, 'events'> | undefined;
  for (const [ordinal, history] of chain.entries()) {
    const recorded = await readHistory(history.events ?? [], converter);
    const derived = eventsOf(recorded, ordinal, events.length + 1);
    events.push(...derived.events);
    last = { plan: recorded.input.plan, state: derived.state };
  }
  return { ...last!, events };
}
