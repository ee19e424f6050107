/** Goes through the events between two keyframes again. */
import {
  type InputBatch,
  ChunkEvents,
  type EngineEvent,
  type LiveState,
  Machine,
} from '../../engine/machine';
import { type Watcher } from '../derivation';
import { type KeptMemory } from '../explain/memory';
import { type KeptMoments } from '../moment';
import { type Standstill } from './recorder';

/** The events from `first` on, exclusive, to `last`. */
export interface SegmentPlace {
  readonly first: number;
  readonly last: number;
}

export interface Keyframe extends Standstill {
  readonly memory: KeptMemory;
  readonly moments: KeptMoments;
}

/** A keyframe, and the inputs up to the next one. */
export interface Unpacked {
  readonly keyframe: Keyframe;
  readonly batches: readonly InputBatch[];
}

export interface EventPlace {
  readonly seq: number;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly chunks: ChunkEvents;
}

/** Observes the evaluations and the events of a segment. */
export interface SegmentWatcher extends Pick<Watcher, 'guard'> {
  event?(event: EngineEvent, place: EventPlace, state: LiveState): void;
}

export interface Replayed {
  /** After all inputs unless the place ends earlier. */
  readonly machine: Machine;
  readonly chunks: ChunkEvents;
  /** Position of the last event: those behind it, which Temporal caused, do not change the state. */
  readonly last: number;
  /** Another event follows in the batch of the last one. */
  readonly isMidBatch: boolean;
}

/**
 * Goes through the events of a segment.
 *
 * @param place its own, or one that ends earlier; `stops`: no input is taken behind the batch of its last event
 * @throws errors of the watcher
 */
export function replaySegment(
  { keyframe, batches }: Unpacked,
  place: SegmentPlace & { readonly stops?: true },
  watcher: SegmentWatcher,
): Replayed {
  const { plan, interim } = keyframe;
  const machine = Machine.from(plan, keyframe.state);
  const chunks = new ChunkEvents(plan, keyframe.chunks);
  let seq = place.first;
  let isMidBatch = false;
  const stop = new Error('stop');
  const observer = {
    guard: watcher.guard?.bind(watcher),
    emitted: (event: EngineEvent, { now, part }: LiveState) => {
      // The last batch goes on behind the segment.
      if (seq === place.last) throw stop;
      const at = part ? now : (event.within?.at ?? now);
      watcher.event?.(event, { seq: ++seq, at, chunks }, machine.live);
    },
  };
  try {
    if (interim) chunks.after(machine.resume(interim, observer).commands);
    for (const batch of batches) {
      if (place.stops && seq === place.last) break;
      chunks.before(batch, observer);
      chunks.after(machine.apply(batch, observer).commands);
    }
  } catch (error) {
    if (error !== stop) throw error;
    isMidBatch = true;
  }
  return { machine, chunks, last: seq, isMidBatch };
}
