/** Time travel by a keyframe: the state of an execution at an event of a segment. */
import { atRest, type State } from '../../engine/machine';
import { replaySegment } from './replay';
import { type Segment, unpackSegment } from './segment';

/**
 * The state when an event was emitted, as `stateAt` derives it from the whole history. It is the caller's.
 *
 * @param at the event's position, in the segment; undefined: after all of the segment's inputs
 */
export async function stateIn(place: Segment, at?: number): Promise<State> {
  let state: State | undefined;
  const upTo = { first: place.first, last: at ?? place.last };
  const { machine } = replaySegment(await unpackSegment(place), upTo, {
    event: (_event, { seq }, live) => {
      if (seq === at) state = structuredClone(atRest(live));
    },
  });
  // An event unknown to the engine (a reset, a termination) does not change its state.
  return state ?? machine.state;
}
