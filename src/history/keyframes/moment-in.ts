/**
 * How a run stood after an event, by a keyframe: when it was emitted, or, if it is the last of its batch, at the batch's end:
 * what waits has begun to.
 */
import { atRest } from '../../engine/machine';
import { type CanonicalEvent } from '../events';
import { type Moment, MomentMemory } from '../moment';
import { replaySegment, type SegmentPlace, type Unpacked } from './replay';

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
