/** Time travel by a keyframe: the state of an execution at an event of a segment. */
import { atRest, type State } from '../../engine/machine';
import { replaySegment, type Segment, unpackSegment } from './segment';

/**
 * The state when an event was emitted, as `stateAt` derives it from the whole history. It is the caller's.
 *
 * @param at the event's position, in the segment; undefined: after all of the segment's inputs
 */
export async function stateIn(place: Segment, at?: number): Promise<State> {
  const segment = await unpackSegment(place);
  const stop = new Error('stop');
  let state: State | undefined;
  try {
    // An event unknown to the engine (a reset, a termination) does not change its state.
    return replaySegment(segment, place, {
      event: (_event, { seq }, live) => {
        if (seq !== at) return;
        state = structuredClone(atRest(live));
        throw stop;
      },
    }).machine.state;
  } catch (error) {
    if (error !== stop) throw error;
    return state!;
  }
}
