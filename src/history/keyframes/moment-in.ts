/**
 * How a run stood after an event, by a keyframe: when it was emitted, or, if it is the last of its batch, at the batch's end:
 * what waits has begun to.
 */
import { atRest, type State } from '../../engine/machine';
import { type CanonicalEvent } from '../events';
import { type Moment, MomentMemory } from '../moment';
import { replaySegment, type SegmentPlace, type Unpacked } from './replay';
import { type Segment, unpackSegment } from './segment';

/**
 * @param place where the segment begins, and the event's position: in the segment, or behind it
 * @param caused events behind those of the engine, which do not change its state: those after a position up to the event
 */
export async function momentIn(
  segment: Unpacked,
  { first, last: at }: SegmentPlace,
  caused: (after: number) => AsyncIterable<readonly CanonicalEvent[]> | Iterable<readonly CanonicalEvent[]>,
): Promise<Moment> {
  const memory = new MomentMemory(segment.keyframe.moments);
  const place = { first, last: at, stops: true } as const;
  let emitted: Moment | undefined;
  const { machine, chunks, last, isMidBatch } = replaySegment(segment, place, {
    event: (event, { seq, chunks: under }, state) => {
      memory.take(event, state);
      if (seq === at) emitted = memory.moment(atRest(state), under.states);
    },
  });
  if (emitted && isMidBatch) return emitted;
  if (last < at) for await (const events of caused(last)) for (const event of events) memory.take(event);
  return memory.moment(machine.state, chunks.states);
}

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
