/** A keyframe with the inputs up to the next one: from it the events between both can be gone through again. */
import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';
import { type InputBatch } from '../../engine/machine';
import { appendAll } from '../../language/plan/append';
import { type SegmentPlace, type Unpacked } from './replay';

export interface Segment extends SegmentPlace {
  readonly bytes: Uint8Array;
  /** Of one that goes on: the inputs since, in order. */
  readonly more?: readonly Uint8Array[];
}

/** Bytes of the JSON: more is not read. */
const MAX_UNPACKED = 256 * 1024 * 1024;
/** Level 1: half the size of memory's tenth, and a fifth of the time. */
const LEVEL = { level: 1 };
const inflated = promisify(inflateRaw);

/** @param keyframe its JSON @param batches theirs */
export function segmentText(keyframe: string, batches: readonly string[]): string {
  return `{"keyframe":${keyframe},"batches":[${batches.join(',')}]}`;
}

/** As `segmentText`. */
export function packSegment(keyframe: string, batches: readonly string[]): Uint8Array {
  return deflateRawSync(segmentText(keyframe, batches), LEVEL);
}

/** Inputs that continue a segment. */
export function packBatches(batches: readonly string[]): Uint8Array {
  return deflateRawSync(`[${batches.join(',')}]`, LEVEL);
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
