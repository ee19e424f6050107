/** Time travel: the state of an execution at any of its events. */
import { atRest, type State } from '../engine';
import { Derivation, type DerivationOptions } from './derivation';
import { type Pages } from './follow';

/**
 * The state when an event was emitted; undefined when the execution has no such event.
 *
 * @param at its position (`seq`) or its `event_id`; Infinity for the last
 */
export async function stateAt(
  pages: Pages,
  at: number | string,
  options: Pick<DerivationOptions, 'converter'> = {},
): Promise<{ state: State | undefined; lastSeq: number }> {
  let state: State | undefined;
  const derivation = new Derivation({
    ...options,
    watcher: {
      event: (_event, now, place) => {
        if (place.seq === at || place.event_id === at) state = structuredClone(atRest(now));
      },
    },
  });
  for await (const page of pages) {
    const events = await derivation.take(page);
    // An event unknown to the engine (a reset, a termination) does not change its state.
    if (events.some((event) => event.seq === at || event.event_id === at))
      return { state: state ?? derivation.state, lastSeq: derivation.lastSeq };
  }
  return { state: at === Infinity ? derivation.state : undefined, lastSeq: derivation.lastSeq };
}
