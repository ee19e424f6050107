/** A keyframe with the inputs up to the next one: from it the events between both can be gone through again. */
import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';
import {
  type InputBatch,
  ChunkEvents,
  type EngineEvent,
  type LiveState,
  Machine,
} from '../../engine/machine';
import { appendAll } from '../../language/plan/append';
import { type KeptMemory } from '../explain/memory';
import { type KeptMoment } from '../moment';
import { type Watcher } from '../derivation';
import { type Standstill } from './recorder';

/** The events from `first` on, exclusive, to `last`. */
export interface Segment {
  readonly first: number;
  readonly last: number;
  readonly bytes: Uint8Array;
  /** Of one that goes on: the inputs since, in order. */
  readonly more?: readonly Uint8Array[];
}

/** Where a segment lies, or the part of it that is asked for. */
export type SegmentPlace = Pick<Segment, 'first' | 'last'>;

export interface Keyframe extends Standstill {
  readonly memory: KeptMemory;
  readonly moment: KeptMoment;
}

/** Bytes of the JSON: more is not read. */
const MAX_UNPACKED = 256 * 1024 * 1024;
/** Level 1: half the size of memory's tenth, and a fifth of the time. */
const LEVEL = { level: 1 };
const inflated = promisify(inflateRaw);

/** @param keyframe its JSON @param batches theirs */
export function packSegment(keyframe: string, batches: readonly string[]): Uint8Array {
  return deflateRawSync(`{"keyframe":${keyframe},"batches":[${batches.join(',')}]}`, LEVEL);
}

/** Inputs that continue a segment. */
export function packBatches(batches: readonly string[]): Uint8Array {
  return deflateRawSync(`[${batches.join(',')}]`, LEVEL);
}

export interface Unpacked {
  readonly keyframe: Keyframe;
  readonly batches: readonly InputBatch[];
}

export async function unpackSegment({
  bytes,
  more = [],
}: Pick<Segment, 'bytes' | 'more'>): Promise<Unpacked> {
  const { keyframe, batches } = (await unpack(bytes)) as Unpacked;
  const all = [...batches];
  for (const part of more) appendAll(all, (await unpack(part)) as InputBatch[]);
  return { keyframe, batches: all };
}

async function unpack(bytes: Uint8Array): Promise<unknown> {
  const text = await inflated(bytes, { maxOutputLength: MAX_UNPACKED });
  return JSON.parse(text.toString('utf8'));
}

/** Observes the evaluations and the events of a segment. */
export interface SegmentWatcher extends Pick<Watcher, 'guard'> {
  /** @param at when it happened, in milliseconds since the epoch */
  event?(event: EngineEvent, place: { readonly seq: number; readonly at: number }, state: LiveState): void;
}

/**
 * Goes through the events of a segment.
 *
 * @param place its own, or one that ends earlier
 * @returns the position of the last event: those behind it, which Temporal caused, do not change the state; and the machine,
 *   after all inputs unless the place ends earlier
 * @throws errors of the watcher
 */
export function replaySegment(
  { keyframe, batches }: Unpacked,
  place: SegmentPlace,
  watcher: SegmentWatcher,
): { readonly machine: Machine; readonly last: number } {
  const { plan, interim } = keyframe;
  const machine = Machine.from(plan, keyframe.state);
  const chunks = new ChunkEvents(plan, keyframe.chunks);
  let seq = place.first;
  const stop = new Error('stop');
  const observer = {
    guard: watcher.guard?.bind(watcher),
    emitted: (event: EngineEvent, { now, part }: LiveState) => {
      // The last batch goes on behind the segment.
      if (seq === place.last) throw stop;
      const at = part ? now : (event.within?.at ?? now);
      watcher.event?.(event, { seq: ++seq, at }, machine.live);
    },
  };
  try {
    if (interim) chunks.after(machine.resume(interim, observer).commands);
    for (const batch of batches) {
      chunks.before(batch, observer);
      chunks.after(machine.apply(batch, observer).commands);
    }
  } catch (error) {
    if (error !== stop) throw error;
  }
  return { machine, last: seq };
}
