/** Time travel: the state of an execution at any of its events. */
import { atRest, type State } from '../engine/machine';
import { Derivation, type DerivationOptions } from './derivation';
import { eventStream, type Pages } from './follow';

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
  const stop = new Error('stop');
  const derivation = new Derivation({
    ...options,
    watcher: {
      event: (_event, now, place) => {
        if (place.seq !== at && place.event_id !== at) return;
        state = structuredClone(atRest(now));
        throw stop;
      },
    },
  });
  try {
    for await (const events of eventStream(pages, derivation)) {
      // An event unknown to the engine (a reset, a termination) does not change its state.
      if (events.some((event) => event.seq === at || event.event_id === at))
        return { state: derivation.state, lastSeq: derivation.lastSeq };
    }
  } catch (error) {
    // A window comes to hundreds of thousands of events: what follows is not derived.
    if (error !== stop) throw error;
    return { state, lastSeq: derivation.lastSeq };
  }
  return { state: at === Infinity ? derivation.state : undefined, lastSeq: derivation.lastSeq };
}
